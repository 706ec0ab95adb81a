"""`hopcost history` and `hopcost gate --against history` on a database of simulated records."""

from __future__ import annotations

import csv
import datetime
import io
import json
from pathlib import Path

import command
import pytest
from histories.simulated import simulated_history, simulated_record, spread_around

CALM, SLOW = 0.5, 0.44
ARM = "made-up/cost/behind"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen calm days, five slower ones with a newer proxy, and three records of another machine; all kept."""
    folder = tmp_path_factory.mktemp("history")
    ratios = spread_around([CALM] * 16 + [SLOW] * 5, 0.01)
    simulated_history(folder / "calm", ratios[:16])
    simulated_history(folder / "slow", ratios[16:], first=16, programs={"app": "1", "proxy": "3"})
    for day in range(3):  # before the others: runs that began at one moment with one seed count as one
        simulated_record(
            folder / "other" / str(day), day, ratio=0.3, cpu_ratio=1 / 0.3, host="other", machine="f" * 16,
            started=datetime.datetime(2024, 12, 1 + day, tzinfo=datetime.UTC),
        )  # fmt: skip
    records = [path for kind in ("calm", "slow", "other") for path in sorted((folder / kind).iterdir())]
    done = command.hopcost("keep", *records, "--label", "branch=main", "--database", "h.sqlite", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


def history(folder: Path, *arguments: object, verb: str = "history") -> tuple[int, str, str]:
    done = command.hopcost(verb, *arguments, "--database", "h.sqlite", folder=folder)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_the_change_is_told_with_what_changed(folder: Path) -> None:
    code, output, errors = history(folder, ARM)
    assert (code, errors) == (0, "")
    words = " ".join(output.split())
    assert "behind is slower since 2025-01-17: throughput -1" in words
    assert "proxy 2 -> 3" in words
    assert "Not mixed in: 3 records of machine" in words and "(other)" in words
    assert max(map(len, output.splitlines())) <= 80 and "*" in output


def test_cpu_by_its_short_name_and_the_end_of_the_arms_name(folder: Path) -> None:
    code, output, _ = history(folder, "behind", "--figure", "cpu", "--label", "branch=main")
    assert code == 0 and "behind needs more CPU since 2025-01-17" in output


def test_as_json_and_csv_with_all_series(folder: Path) -> None:
    _, output, _ = history(folder, ARM, "--json")
    content = json.loads(output)
    assert [len(trend["points"]) for trend in content["trends"]] == [21, 3]
    assert [len(trend["changes"]) for trend in content["trends"]] == [1, 0]
    _, output, _ = history(folder, ARM, "--format", "csv", "--machine", "other")
    assert len(list(csv.DictReader(io.StringIO(output)))) == 3


def test_since_leaves_older_records_out(folder: Path) -> None:
    _, output, _ = history(folder, ARM, "--since", "2025-01-17", "--json")
    assert len(json.loads(output)["trends"][0]["points"]) == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody"], ["no record of 'nobody'", "hint"]),
        ([ARM, "--figure", "p99"], ["no figure 'p99'"]),
        ([ARM, "--label", "branch=other"], ["with the label branch=other"]),
        ([ARM, "--machine", "nowhere"], ["of the machine 'nowhere'", "machines of the history"]),
        ([ARM, "--since", "soon"], ["--since", "30d"]),
        ([ARM, "--label", "branch"], ["--label"]),
    ],
)
def test_what_is_not_there_is_one_clear_error(folder: Path, arguments: list[str], words: list[str]) -> None:
    code, output, errors = history(folder, *arguments)
    assert (code, output) == (2, "") and errors.startswith("error: ")
    assert [word for word in words if word not in errors] == []


def test_a_gate_judges_the_newest_record_by_its_stretch(folder: Path) -> None:
    code, output, errors = history(folder, ARM, "--against", "history", "--margin", "10%", verb="gate")
    assert (code, errors) == (0, "")
    assert "PASSED" in output and "which scatter by" in output
    assert "is slower since 2025-01-17" in " ".join(output.split())


def test_a_gate_fails_where_the_newest_record_is_the_first_slow_one(folder: Path, tmp_path: Path) -> None:
    for kind in ("calm", "slow"):
        (tmp_path / kind).symlink_to(folder / kind)
    records = [*sorted((tmp_path / "calm").iterdir()), min((tmp_path / "slow").iterdir())]
    kept = command.hopcost("keep", *records, "--database", "h.sqlite", folder=tmp_path)
    assert kept.returncode == 0, kept.stderr
    code, output, errors = history(tmp_path, ARM, "--against", "history", "--margin", "5%", "--json", verb="gate")
    assert code == 1 and "gate failed (exit code 1)" in errors
    content = json.loads(output)
    assert content["outcome"] == "failed" and content["figures"][0]["stretch"]["records"] == 16


def test_a_gate_against_history_measures_nothing(folder: Path) -> None:
    code, _, errors = history(folder, ARM, "--against", "history", "--time", "1m", verb="gate")
    assert code == 2 and "measures nothing" in errors and "--time" in errors
    code, _, errors = history(folder, "nginx-go/one-core/go", verb="gate")
    assert code == 2 and "--database" in errors and "--against history" in errors


def test_an_empty_history_says_what_fills_it(tmp_path: Path) -> None:
    code, _, errors = history(tmp_path, ARM)
    assert code == 2 and "the history is empty" in errors and "hopcost keep" in errors
