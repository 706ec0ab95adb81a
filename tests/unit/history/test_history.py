"""The history: records kept whole and once, found again, and their points in the order of time."""

from __future__ import annotations

import datetime
import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from histories.simulated import ARM, BEGIN, EXPERIMENT, SUITE, simulated_history, simulated_record
from samples.written import changed, written
from sqlalchemy import Engine, event

from hopcost.errors import UsageError
from hopcost.history.history import History
from hopcost.history.points import Keeping, Series

FIGURES = ["throughput", "cpu_per_request", "cpu_per_request:app"]
PLANTED = [0.5, 0.51, 0.4]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History.open(str(tmp_path / "h.sqlite")) as history:
        yield history


def throughput(history: History, **more: object) -> list[Series]:
    return history.series(SUITE, EXPERIMENT, ARM, "throughput", **more)  # type: ignore[arg-type]


def test_what_is_kept_of_a_record_is_what_was_planted(history: History, tmp_path: Path) -> None:
    path = simulated_record(
        tmp_path / "r", 3, ratio=0.5, cpu_ratio=2.0, labels={"branch": "main"}, programs={"app": "7", "proxy": "1.22.1"}
    )
    assert history.keep(path, {"note": "first"}) is Keeping.NEW
    (record,) = history.records()
    assert (record.suite, record.question, record.host) == (SUITE, "run", "abacus")
    assert (record.path, record.started) == (str(path), BEGIN + datetime.timedelta(days=3))
    assert record.labels == {"branch": "main", "note": "first"}
    assert (record.versions.cpu, record.versions.kernel, record.versions.method) == ("Abacus 2", "6.1.0", 3)
    assert record.versions.programs == {"app": "7", "proxy": "1.22.1"}
    assert abs((record.kept - datetime.datetime.now(datetime.UTC)).total_seconds()) < 3600
    points = {point.figure: point for point in history.points(record.digest)}
    assert sorted(points) == sorted(FIGURES) == sorted(history.figures(SUITE, EXPERIMENT, ARM))
    of_throughput, of_cpu = points["throughput"], points["cpu_per_request"]
    assert (of_throughput.arm, of_throughput.baseline, of_throughput.starts) == (ARM, "direct", 4)
    assert of_throughput.ratio == pytest.approx(0.5, rel=0.03) and of_cpu.ratio == pytest.approx(2.0, rel=0.03)
    assert len(of_throughput.blocks) == 4
    for point in points.values():
        assert point.low is not None and point.high is not None and point.standard_error is not None
        assert point.low < point.ratio < point.high
        assert 1.5 < math.log(point.high / point.low) / 2 / point.standard_error < 8, (
            "an interval of 95 %, and its sigma"
        )
    assert of_throughput.value is not None and of_throughput.baseline_value is not None
    assert of_throughput.value / of_throughput.baseline_value == pytest.approx(of_throughput.ratio, rel=0.02)
    assert (of_throughput.unit, of_cpu.unit) == ("requests/s", "ns")


def test_a_summary_and_the_machine_stay_when_the_folder_is_gone(history: History, tmp_path: Path) -> None:
    path = simulated_record(tmp_path / "r", starts=6)
    history.keep(path)
    shutil.rmtree(path)
    (record,) = history.records()
    (experiment,) = history.summary(record.digest)
    assert (experiment.name, experiment.baseline, experiment.starts, experiment.void) == (EXPERIMENT, "direct", 6, 0)
    behind = next(arm for arm in experiment.arms if arm.name == ARM)
    verdicts = {comparison.figure: comparison.verdict for comparison in behind.comparisons}
    assert verdicts["throughput"] == "slower" and verdicts["cpu_per_request"] == "dearer"
    assert history.environment(record.digest)["memory_bytes"] == 8 << 30
    assert history.summary("0" * 64) == () and history.environment("0" * 64) == {}


def test_a_record_is_kept_once_and_gets_new_labels_and_its_new_place(history: History, tmp_path: Path) -> None:
    path = simulated_record(tmp_path / "r", labels={"branch": "main", "commit": "1"})
    moved = Path(shutil.copytree(path, tmp_path / "moved"))
    assert history.keep(path, {"note": "a"}) is Keeping.NEW
    assert history.keep(moved, {"commit": "2"}) is Keeping.ALREADY
    (record,) = history.records()
    assert record.labels == {"branch": "main", "commit": "2", "note": "a"}
    assert record.path == str(moved)
    assert len(history.points(record.digest)) == len(FIGURES)


def test_of_a_run_that_went_on_the_later_state_is_kept(history: History, tmp_path: Path) -> None:
    whole = simulated_record(tmp_path / "whole", starts=4)
    early = Path(shutil.copytree(whole, tmp_path / "early"))
    lines = (early / "blocks.jsonl").read_text().splitlines(keepends=True)
    (early / "blocks.jsonl").write_text("".join(lines[:2]))
    changed(early, "run.json", lambda run: run.update(ended_utc=None, endings=[]))
    assert history.keep(early, {"note": "early"}) is Keeping.NEW
    assert "the run did not end by itself" in history.records()[0].cautions
    assert history.keep(whole) is Keeping.NEW
    assert history.keep(early) is Keeping.ALREADY, "the run has gone further"
    (record,) = history.records()
    assert "the run did not end by itself" not in record.cautions
    assert {point.starts for point in history.points(record.digest)} == {4}


@pytest.mark.parametrize("table", ["hopcost_records", "hopcost_contents", "hopcost_labels", "hopcost_points"])
def test_an_error_in_the_middle_leaves_nothing(history: History, tmp_path: Path, table: str) -> None:
    path = simulated_record(tmp_path / "r", labels={"branch": "main"})

    def fail(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(f"INSERT INTO {table}"):
            raise ZeroDivisionError

    event.listen(Engine, "before_cursor_execute", fail)
    try:
        with pytest.raises(ZeroDivisionError):
            history.keep(path)
    finally:
        event.remove(Engine, "before_cursor_execute", fail)
    assert history.count() == 0 and history.arms() == []
    assert history.keep(path) is Keeping.NEW


def test_a_damaged_record_and_one_without_a_start_are_told_and_not_kept(history: History, tmp_path: Path) -> None:
    empty, damaged = simulated_record(tmp_path / "empty"), simulated_record(tmp_path / "damaged")
    (empty / "blocks.jsonl").write_text("")
    (damaged / "plan.json").write_text("{")
    for path, words in ((empty, "not one start"), (damaged, "plan.json"), (tmp_path, "no record there")):
        with pytest.raises(UsageError, match=words):
            history.keep(path)
    assert history.count() == 0


def test_a_record_with_one_start_has_no_range(history: History, tmp_path: Path) -> None:
    history.keep(simulated_record(tmp_path / "r", starts=1))
    (series,) = throughput(history)
    (point,) = series.points
    assert (point.low, point.high, point.standard_error, point.starts) == (None, None, None, 1)


def test_a_record_of_all_kinds_of_contents_is_kept(history: History, tmp_path: Path) -> None:
    """The open loop, another generator's run, a repeat of a protocol, claims."""
    history.keep(written(tmp_path / "all"))
    (record,) = history.records()
    assert record.host == "unknown" and record.labels == {}
    assert history.summary(record.digest)[0].starts > 0


def test_a_series_is_in_the_order_of_time_whenever_its_records_were_kept(history: History, tmp_path: Path) -> None:
    paths = simulated_history(tmp_path, PLANTED)
    for path in (paths[2], paths[0], paths[1]):
        history.keep(path)
    (series,) = throughput(history)
    assert [point.ratio for point in series.points] == pytest.approx(PLANTED, rel=0.03)
    assert [point.record.started.day for point in series.points] == [1, 2, 3]
    assert (series.suite, series.experiment, series.arm, series.figure) == (SUITE, EXPERIMENT, ARM, "throughput")


def test_machines_methods_and_configurations_are_never_mixed(history: History, tmp_path: Path) -> None:
    history.keep(simulated_record(tmp_path / "a", 1))
    history.keep(simulated_record(tmp_path / "machine", 2, machine="another"))
    history.keep(simulated_record(tmp_path / "cpu", 3, cpu="Abacus 3"))
    history.keep(simulated_record(tmp_path / "method", 4, method=2))
    load = simulated_record(tmp_path / "load", 5)
    changed(load, "plan.json", lambda plan: plan["experiments"][0]["workload"].update(connections=512))
    history.keep(load)
    history.keep(simulated_record(tmp_path / "kernel", 6, kernel="6.2.0", programs={"app": "2", "proxy": "3"}))
    found = throughput(history)
    assert sorted(len(series.points) for series in found) == [1, 1, 1, 1, 2]
    assert [point.record.versions.kernel for point in found[0].points] == ["6.1.0", "6.2.0"], "the newest series first"
    assert {series.method for series in found} == {2, 3}


def test_runners_that_are_named_alike_are_one_machine(history: History, tmp_path: Path) -> None:
    for number in range(2):
        path = simulated_record(tmp_path / str(number), number, machine=str(number), host=f"runner-{number}")
        history.keep(path, machine="runners")
    (series,) = throughput(history)
    assert len(series.points) == 2
    assert history.machines() == [(series.machine, "runners")]


def test_a_series_is_narrowed_by_time_label_and_machine(history: History, tmp_path: Path) -> None:
    for number in range(6):
        labels = {"branch": "main" if number % 2 else "faster"}
        history.keep(simulated_record(tmp_path / str(number), number, labels=labels))
    history.keep(simulated_record(tmp_path / "other", 9, machine="another", host="other"))

    def days(**more: object) -> list[list[int]]:
        return [[point.record.started.day for point in one.points] for one in throughput(history, **more)]

    assert days(machine="abacus") == [[1, 2, 3, 4, 5, 6]]
    assert days(machine="abacus", labels={"branch": "main"}) == [[2, 4, 6]]
    assert days(machine="other") == [[10]]
    key = throughput(history, machine="other")[0].machine
    assert days(machine=key[:8]) == [[10]]
    assert days(since=BEGIN + datetime.timedelta(days=4)) == [[10], [5, 6]]
    assert days(labels={"branch": "none"}) == days(since=BEGIN + datetime.timedelta(days=99)) == []


def test_hostile_words_of_a_record_are_kept_as_words(history: History, tmp_path: Path) -> None:
    hostile = "'; DROP TABLE hopcost_records; --<script>\0\x1b[31m"
    path = simulated_record(tmp_path / "r", host=hostile, cpu=hostile, kernel=hostile)
    changed(path, "run.json", lambda run: run.update(command=["hopcost", hostile]))
    history.keep(path, {"note": "<b>'\"&"})
    (record,) = history.records()
    assert record.host == hostile.replace("\0", "\N{REPLACEMENT CHARACTER}")
    assert record.question == "unknown" and record.labels["note"] == "<b>'\"&"
    assert json.dumps(history.environment(record.digest)["host"]) == json.dumps(hostile)


def test_where_the_history_is_is_told_by_the_file(history: History, tmp_path: Path) -> None:
    assert str(history.place) == str(tmp_path / "h.sqlite")
