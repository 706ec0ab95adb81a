"""Beside a neighbour: what counts as the quiet direction, and how a row is judged. Nothing is run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from samples.truth import comparison, filled, report

from hopcost.plan.method import METHOD
from hopcost.suites import read
from tools.truth.form import Form
from tools.truth.sections import neighbours


def told(dearer: bool = True, opposite: float = 0.0) -> dict[str, float]:
    return {"dearer": float(dearer), "slower": 1.0, "opposite": opposite, "ratio": 1.15, "took": 0.05}


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
    assert neighbours.verdict(20, runs) == word
    assert neighbours.has_failed(20, runs) == (word == "no")


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
    quiet = report([dearer, comparison("throughput", "slower", 0.8, 0.9)])
    turned = report([dearer, comparison("throughput", "faster", 1.1, 1.2)])
    open_ = report([comparison("cpu_per_request", "not settled", 0.9, 1.2)])
    for experiment in (quiet, turned, open_):
        experiment.arms[1] = msgspec.structs.replace(experiment.arms[1], name="worked")
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
    assert [case.name for case in full] == ["2 %", "5 %", "8 %"]
    assert ([case.runs for case in full], [case.runs for case in short]) == ([20] * 3, [3] * 3)
    path = folder / "suite.toml"
    path.write_text(neighbours.suite(), encoding="utf-8")
    assert list(read.read_suite(str(path)).arms) == ["plain", "worked"]
