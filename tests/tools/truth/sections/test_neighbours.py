"""Beside a neighbour: what counts as the quiet direction, and how a row is judged. Nothing is run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from samples.truth import comparison, filled, report

from hopcost.plan.method import METHOD
from hopcost.report.formats.json_arm import ReportedComparison
from hopcost.report.formats.json_schema import ReportedExperiment
from hopcost.suites import read
from tools.truth.form import Form
from tools.truth.sections import neighbours


def told(dearer: bool = True, opposite: float = 0.0) -> dict[str, float]:
    return {"dearer": float(dearer), "slower": 1.0, "opposite": opposite, "ratio": 1.15, "took": 0.05}


def of_worked(*comparisons: ReportedComparison) -> ReportedExperiment:
    experiment = report(list(comparisons))
    experiment.arms[1] = msgspec.structs.replace(experiment.arms[1], name="worked")
    return experiment


@pytest.mark.parametrize(
    ("runs", "word"),
    [
        ([told()] * 20, "yes"),
        ([told()] * 18 + [told(dearer=False)] * 2, "yes"),
        ([told()] * 17 + [told(dearer=False)] * 3, "no"),
        ([told(dearer=False)] * 3, "no"),
        ([told()] * 19 + [told(opposite=1.0)], "no"),
        ([told()] * 5, "unfinished: 5 of 20 runs"),
    ],
)
def test_eighteen_of_twenty_must_be_right_and_none_the_opposite(runs: list[dict[str, float]], word: str) -> None:
    assert neighbours.verdict("5 %", 20, runs) == word
    assert neighbours.has_failed(20, runs) == (word == "no")


def test_runs_without_a_neighbour_are_all_made_and_not_judged(tmp_path: Path) -> None:
    section = neighbours.Neighbours(tmp_path, Form.FULL)
    quiet = next(case for case in section.cases() if case.name == neighbours.NOTHING)
    missed = [told(dearer=False)] * 20
    assert not quiet.decided(missed)
    assert neighbours.verdict(quiet.name, 20, missed[:5]) == "unfinished: 5 of 20 runs"
    assert neighbours.verdict(quiet.name, 20, missed) == ""
    lines, holds = section.page(filled(section, lambda case, _: told(dearer=case.name != quiet.name)))
    row = next(line for line in lines if line.startswith(f"| {quiet.name} "))
    assert holds and row.endswith("|  |") and "20 of 20" in row


@pytest.mark.parametrize(
    ("seen_without", "seen_beside", "said"),
    [
        (
            13,
            14,
            "Without a neighbour 13 of 20 runs called it *dearer*, beside one 42 of 60. What misses is likely the",
        ),
        (13, 10, "13 of 20 runs called it *dearer*, beside one 30 of 60."),  # a neighbour makes it worse
        (20, 20, "20 of 20 runs called it *dearer*, beside one 60 of 60."),  # nothing is missed
    ],
)
def test_what_misses_is_the_time_if_runs_without_a_neighbour_miss_as_often(
    tmp_path: Path, seen_without: int, seen_beside: int, said: str
) -> None:
    section = neighbours.Neighbours(tmp_path, Form.FULL)
    seen = dict.fromkeys(neighbours.SHARES, seen_beside) | {neighbours.NOTHING: seen_without}
    text = section.adds(filled(section, lambda case, number: told(dearer=number < seen[case.name])))
    assert said in text and ("What misses" in text) == ("What misses" in said)


def test_without_a_neighbour_no_program_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "neighbour", lambda *_: pytest.fail("a neighbour was started"))
    monkeypatch.setattr(neighbours, "run_suite", lambda *_: (of_worked(), 30.0, ""))
    assert neighbours.run(neighbours.NOTHING, 0)["took"] == 0.0


@pytest.mark.parametrize(
    ("missed", "said"),
    [
        (
            {**told(dearer=False), "half_width": 0.21},
            "Why 2 % is missed: the runs that did not see it have ranges of ±21",
        ),
        (told(dearer=False), ""),  # kept before the width was
        ({**told(dearer=False, opposite=1.0), "half_width": 0.21}, ""),  # no width excuses that
    ],
)
def test_a_missed_row_says_what_limits_it(tmp_path: Path, missed: dict[str, float], said: str) -> None:
    section = neighbours.Neighbours(tmp_path, Form.SHORT)
    text = "\n".join(section.page(filled(section, lambda case, _: missed if case.name == "2 %" else told()))[0])
    assert (said in text) if said else ("Why" not in text)


def test_the_direction_is_read_off_both_figures() -> None:
    dearer = comparison("cpu_per_request", "dearer", 1.1, 1.2)
    quiet = of_worked(dearer, comparison("throughput", "slower", 0.8, 0.9))
    turned = of_worked(dearer, comparison("throughput", "faster", 1.1, 1.2))
    open_ = of_worked(comparison("cpu_per_request", "not settled", 0.9, 1.2))
    assert neighbours.told(quiet) == {"dearer": 1.0, "slower": 1.0, "opposite": 0.0} | {
        "ratio": pytest.approx(1.15),
        "half_width": pytest.approx(0.0435, abs=1e-3),
    }
    assert (neighbours.told(turned)["slower"], neighbours.told(turned)["opposite"]) == (0.0, 1.0)
    assert (neighbours.told(open_)["dearer"], neighbours.told(open_)["opposite"]) == (0.0, 0.0)


def test_no_neighbour_is_so_large_that_the_run_would_be_refused() -> None:
    assert max(neighbours.SHARES.values()) < METHOD.max_foreign_share


def test_a_case_for_each_share_and_a_suite_that_can_be_read(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("truth")
    full, short = (neighbours.Neighbours(folder, form).cases() for form in (Form.FULL, Form.SHORT))
    assert [case.name for case in full] == ["2 %", "5 %", "8 %", "nothing"]
    assert ([case.runs for case in full], [case.runs for case in short]) == ([20] * 4, [3] * 3)
    path = folder / "suite.toml"
    path.write_text(neighbours.suite(), encoding="utf-8")
    assert list(read.read_suite(str(path)).arms) == ["plain", "worked"]
