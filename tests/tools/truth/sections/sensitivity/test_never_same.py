"""The section of a known difference that is never called the same, out of forged lines. Nothing is run."""

from __future__ import annotations

from pathlib import Path

import msgspec
from samples.truth import line

from tools.truth import lines, made_with
from tools.truth.sections.sensitivity import never_same

DEARER = {"dearer": 1.0, "same": 0.0, "negligible": 0.0, "unsettled": 0.0, "ratio": 1.05, "half_width": 0.03}
OPEN = DEARER | {"dearer": 0.0, "unsettled": 1.0}


def page(runs: list[dict[str, float]]) -> tuple[str, bool]:
    of = [
        line(
            never_same.CASE, number, section=never_same.SECTION, figures=run | {"truly": 1.05 + 0.001 * (-1) ** number}
        )
        for number, run in enumerate(runs)
    ]
    text, holds = never_same.NeverSame().page(lines.Sorted(of, {}))
    return "\n".join(text), holds


def test_it_holds_if_none_of_a_hundred_says_same_however_many_say_nothing() -> None:
    text, holds = page([DEARER] * 60 + [OPEN] * 40)
    assert holds and "| 100 of 100 | 1.0500 [1.0498, 1.0502] | 0 | 0 | 60 | 40 | 1.0500 | 3.0 % | yes |" in text
    assert "unfinished: 99 of 100 runs" in page([OPEN] * 99)[0]
    assert not page([OPEN] * 99)[1] and not page([])[1]


def test_a_single_one_that_is_called_the_same_or_negligible_is_a_no() -> None:
    assert "| 1 | 0 | 0 | 1 |" in page([OPEN, OPEN | {"same": 1.0, "unsettled": 0.0}])[0]
    assert page([OPEN, OPEN | {"same": 1.0}])[0].rstrip().endswith("| no |")
    assert not page([DEARER] * 99 + [DEARER | {"negligible": 1.0}])[1]


def test_runs_without_a_range_show_nothing() -> None:
    silent = OPEN | {"ratio": 0.0, "half_width": -1.0}
    text, holds = page([DEARER] * 98 + [silent] * 2)
    assert not holds and "| undecided: 2 without a range |" in text


def test_the_top_of_the_page_says_how_wide_the_ranges_are() -> None:
    runs = [line(never_same.CASE, number, section=never_same.SECTION, figures=DEARER) for number in range(3)]
    added = never_same.NeverSame().adds(lines.Sorted(runs, {}))
    assert added == "In 30 s the ranges are ±3.0 % wide at the median, and 3 runs called it *dearer*."
    assert never_same.NeverSame().adds(lines.Sorted([], {})) == ""


def test_its_runs_wait_for_the_calibration(tmp_path: Path) -> None:
    section = never_same.NeverSame(tmp_path)
    (calibration,) = section.cases()
    figures = {"plain_ns": 4000.0, "40_ns": 4072.0, "100_ns": 4200.0}
    run = line(calibration.name, section=never_same.SECTION, figures=figures, settings=calibration.settings)
    run = msgspec.structs.replace(run, engine=made_with.build(), machine=made_with.this_machine())
    lines.append(section.kept.path, run)
    assert [case.runs for case in section.cases()] == [1, 100]
