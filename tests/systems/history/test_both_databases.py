"""What holds on SQLite and on a real PostgreSQL alike: records kept whole and once, and found again."""

from __future__ import annotations

import datetime
import json
import signal
import subprocess
from pathlib import Path

import command
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from histories.simulated import (
    ARM,
    BEGIN,
    EXPERIMENT,
    SUITE,
    simulated_history,
    simulated_record,
    spread_around,
)
from histories.writers import assert_whole, run_writer, run_writers, start_writer
from sqlalchemy import text

from hopcost.errors import UsageError
from hopcost.history.database.engine import make_engine, reading, writing
from hopcost.history.database.migrate import bring_up_to_date
from hopcost.history.database.place import read_place
from hopcost.history.database.schema import METADATA, VERSION_TABLE
from hopcost.history.history import History
from hopcost.history.points import Keeping, Search

MAIN = {"branch": "main"}
WRITERS = 20


def test_the_steps_come_to_the_tables_as_they_are_declared(place: str) -> None:
    where = read_place(place)
    engine = make_engine(where)
    try:
        for _ in range(2):
            bring_up_to_date(engine, where)
        with reading(engine) as connection:
            options = {"version_table": VERSION_TABLE, "compare_type": True}
            assert compare_metadata(MigrationContext.configure(connection, opts=options), METADATA) == []
    finally:
        engine.dispose()


def test_a_newer_schema_is_refused(place: str) -> None:
    with History.open(place):
        pass
    engine = make_engine(read_place(place))
    with writing(engine) as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '99'"))
    engine.dispose()
    with pytest.raises(UsageError, match="a newer hopcost has made its schema: it is 99"):
        History.open(place)


@pytest.mark.timeout(600)
def test_twenty_writers_at_once_make_the_database_and_keep_all_records(place: str, tmp_path: Path) -> None:
    """Each one of its own, and all of them the same one."""
    together, *own = simulated_history(tmp_path / "records", [0.5] * (WRITERS + 1), labels=MAIN)
    ended = run_writers([start_writer(place, [together, record]) for record in own])
    assert [(code, errors) for code, _, errors in ended] == [(0, "")] * WRITERS
    assert sorted(said[0] for _, said, _ in ended) == ["already"] * (WRITERS - 1) + ["new"]
    assert [said[1] for _, said, _ in ended] == ["new"] * WRITERS
    with History.open(place) as history:
        assert_whole(history, WRITERS + 1)


@pytest.mark.parametrize("moment", ["schema", "points", "commit"])
def test_a_writer_that_is_killed_leaves_nothing_half_kept_and_holds_up_nobody(
    place: str, tmp_path: Path, moment: str
) -> None:
    first, second = simulated_history(tmp_path / "records", [0.5] * 2, labels=MAIN)
    if moment != "schema":
        with History.open(place) as history:
            history.keep(first)
    code, said, _ = run_writer(place, [second], moment)
    assert (code, said) == (-signal.SIGKILL, [])
    with History.open(place) as history:
        if moment != "schema":
            assert_whole(history, 1)
        assert history.keep(second) is Keeping.NEW
        history.keep(first)
        assert_whole(history, 2)


def test_what_was_planted_comes_back(place: str, tmp_path: Path) -> None:
    hostile = "'; DROP TABLE hopcost_records; --<script>\0Ä"
    paths = simulated_history(tmp_path / "records", [0.5, 0.4, 0.45], labels=MAIN)
    other = simulated_record(tmp_path / "other", 7, suite="another", host=hostile)
    with History.open(place) as history:
        assert [history.keep(path) for path in (*reversed(paths), other)] == [Keeping.NEW] * 4
        assert history.keep(paths[0], {"who": "Ärger"}) is Keeping.ALREADY
        (series,) = history.series(SUITE, EXPERIMENT, ARM, "throughput", labels=MAIN)
        assert [point.ratio for point in series.points] == pytest.approx([0.5, 0.4, 0.45], rel=0.03)
        assert [point.record.started for point in series.points] == [
            BEGIN + datetime.timedelta(days=day) for day in range(3)
        ]
        assert all(len(point.blocks) == 4 for point in series.points)
        assert [record.suite for record in history.records(limit=2)] == ["another", SUITE]
        assert history.records()[0].host == hostile.replace("\0", "\N{REPLACEMENT CHARACTER}")
        assert history.count(Search(words="WHO=ÄRGER")) == history.count(Search(labels={"who": "Ärger"})) == 1
        assert history.count(Search(words="0%")) == 0 and history.count(Search(arm="direct")) == 4
        since = BEGIN + datetime.timedelta(days=1)
        ((_, last),) = [one.points for one in history.series(SUITE, EXPERIMENT, ARM, "cpu_per_request", since=since)]
        assert history.record(last.record.digest[:8]).digest == last.record.digest
        assert history.arms() == [("another", EXPERIMENT, ARM), (SUITE, EXPERIMENT, ARM)]
        assert history.figures(SUITE, EXPERIMENT, ARM)[0] == "throughput"
        assert history.environment(last.record.digest)["host"] == "abacus"
        assert history.summary(last.record.digest)[0].name == EXPERIMENT


@pytest.mark.timeout(600)
def test_three_hundred_records_go_in_by_the_verb_and_come_out_in_order(place: str, tmp_path: Path) -> None:
    """Two in a hundred and fifty of them apart, of two branches."""
    ratios = spread_around([0.5] * 150 + [0.45] * 150, 0.01)
    records = simulated_history(tmp_path / "records", ratios, labels=MAIN)
    code = 0
    for begin in range(0, len(records), 100):
        part = [f"records/{record.name}" for record in records[begin : begin + 100]]
        done = command.hopcost("keep", *part, folder=tmp_path, extra={"HOPCOST_DATABASE": place})
        code = code or done.returncode
        assert done.stdout.count("kept: ") == len(part), done.stderr
    assert code == 0
    with History.open(place) as history:
        (series,) = history.series(SUITE, EXPERIMENT, ARM, "throughput")
        assert [point.ratio for point in series.points] == pytest.approx(ratios, rel=0.04)
        assert history.count() == 300


def test_the_records_that_come_with_the_docs_are_kept(place: str) -> None:
    samples = sorted(path.parent for path in (Path(__file__).parents[3] / "docs" / "samples").glob("*/run.json"))
    assert len(samples) >= 7
    with History.open(place) as history:
        for sample in samples:
            assert history.keep(sample) is Keeping.NEW
        assert history.count() == len(samples)
        questions = {record.question for record in history.records()}
        assert {"run", "front", "conf", "capacity"} <= questions
        assert ("nginx-go", "one-core", "nginx-http-tcp") in history.arms()
        figures = history.figures("nginx-go", "one-core", "nginx-http-tcp")
        assert {"throughput", "cpu_per_request", "cpu_per_request@0.25", "response_p50@0.25"} <= set(figures)
        (series,) = history.series("nginx-go", "one-core", "nginx-http-tcp", "throughput")
        reported = subprocess.run(
            [command.HOPCOST, "report", samples[0].parent / "nginx-go", "--json"],
            capture_output=True, text=True, check=True, env=command.environment(),
        )  # fmt: skip
        experiment = next(one for one in json.loads(reported.stdout)["experiments"] if one["name"] == "one-core")
        arm = next(one for one in experiment["arms"] if one["name"] == "nginx-http-tcp")
        assert series.points[0].ratio == pytest.approx(arm["ratio"]["value"], rel=1e-6)
