"""What another hour changes: when a run is due, and what is made of the runs. Nothing is run."""

from __future__ import annotations

import datetime
import math
import statistics
from pathlib import Path
from typing import Any

import msgspec
import pytest
from samples.truth import comparison, filled, line, report

from hopcost.errors import MeasurementFailed
from tools.truth import kept, lines
from tools.truth.made_with import build, this_machine
from tools.truth.sections.agreement import between_hours

KEY = "a throughput"


def hour(value: float, half: float, key: str = KEY) -> dict[str, float]:
    """The figures of a run with one arm, with a half-width on the scale of logarithms."""
    return {key: value, f"{key} low": value * math.exp(-half), f"{key} high": value * math.exp(half)}


def test_each_arm_has_its_ratios_with_their_ranges() -> None:
    speeds = [comparison("throughput", "slower", 0.4, 0.6), comparison("cpu_per_request", "dearer", 1.5, 2.5)]
    figures = between_hours.counted(report(speeds, speeds))
    assert figures["same-1 throughput"] == 0.5 and figures["same-2 cpu_per_request high"] == 2.5
    assert len(figures) == 2 * 2 * 3, "the baseline and its second run have no ratio of their own"


def test_a_run_without_a_range_failed() -> None:
    with pytest.raises(MeasurementFailed, match="same-1: no interval of cpu_per_request"):
        between_hours.counted(report([comparison("throughput", "slower", 0.4, 0.6)]))


def test_hours_that_scatter_as_their_ranges_say_differ_by_nothing() -> None:
    quiet = [hour(math.exp(0.01 * sign), 0.05) for sign in (-1, 1, -1, 1)]
    assert between_hours.between(quiet, KEY) == 0.0
    apart = [hour(math.exp(0.2 * sign), 0.0196) for sign in (-1, 1, -1, 1)]
    expected = math.sqrt(statistics.variance([-0.2, 0.2, -0.2, 0.2]) - 0.01**2)
    assert between_hours.between(apart, KEY) == pytest.approx(expected)
    assert between_hours.between(apart[:1], KEY) is None


def test_a_range_holds_the_figure_of_all_hours_or_not() -> None:
    runs = [hour(1.0, 0.01), hour(1.005, 0.01), hour(1.2, 0.01)]
    assert between_hours.together(runs, KEY) == 1.005
    assert between_hours.holding(runs, KEY) == 2


@pytest.mark.parametrize(
    ("far", "runs", "covered", "expected"),
    [
        (0, 6, 24.0, "yes"),
        (1, 6, 24.0, "no"),
        (1, 20, 30.0, "yes"),
        (0, 5, 24.0, "unfinished: 5 runs over 24.0 of 24 hours"),
        (1, 6, 23.5, "unfinished: 6 runs over 23.5 of 24 hours"),
    ],
)
def test_a_row_needs_a_day_and_ranges_that_hold(far: int, runs: int, covered: float, expected: str) -> None:
    figures = [hour(1.5, 0.01)] * far + [hour(1.0, 0.01)] * (runs - far)
    assert between_hours.verdict(figures, KEY, covered) == expected


def kept_line(number: int, time: datetime.datetime, figures: dict[str, float] | None = None) -> Any:
    """Of this machine and engine, undisturbed."""
    section = between_hours.SECTION
    made = {"section": section, "engine": build(), "machine": this_machine(), "time": time.isoformat()}
    settings = {"suite": "nginx-go", "experiment": "one-core", "run_s": between_hours.RUN_S}
    return line("one-core", number, figures=figures or hour(1.0, 0.01), settings=settings, **made)


@pytest.mark.parametrize(
    ("ages_min", "numbers"), [([], [0]), ([61], [0, 1]), ([59], [0]), ([200, 61], [0, 1, 2]), ([200, 10], [0, 1])]
)
def test_a_run_is_added_an_hour_after_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ages_min: list[int], numbers: list[int]
) -> None:
    now = datetime.datetime.now(datetime.UTC)
    section = between_hours.BetweenHours(tmp_path)
    for number, age in enumerate(ages_min):
        lines.append(section.kept.path, kept_line(number, now - datetime.timedelta(minutes=age)))

    def measured(_self: kept.Kept, _case: lines.Case, number: int) -> Any:
        added = kept_line(number, now)
        lines.append(section.kept.path, added)
        return added

    monkeypatch.setattr(kept.Kept, "_measured", measured)
    section.kept.measure(1.0)
    assert len(section.kept.done().used) == len(ages_min), "it has no time"
    section.kept.measure(1000.0)
    assert [one.number for one in section.kept.done().used] == numbers


def test_a_run_that_was_disturbed_is_done_again_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.datetime.now(datetime.UTC)
    section = between_hours.BetweenHours(tmp_path)
    lines.append(section.kept.path, kept_line(0, now - datetime.timedelta(hours=2)))
    lines.append(section.kept.path, msgspec.structs.replace(kept_line(1, now), foreign=0.5))
    asked: list[int] = []

    def measured(_self: kept.Kept, _case: lines.Case, number: int) -> Any:
        asked.append(number)
        return kept_line(number, now)

    monkeypatch.setattr(kept.Kept, "_measured", measured)
    section.kept.measure(1000.0)
    assert asked == [1]


def test_the_page_says_how_long_the_runs_are_apart(tmp_path: Path) -> None:
    section = between_hours.BetweenHours(tmp_path)
    body, holds = section.page(filled(section, lambda *_: hour(1.0, 0.01)))
    assert not holds and "6 runs over 0.0 hours." in body, "all of the same minute"
    assert any("| throughput | a | 1.000 | 1.0 % | 0.0 % | 6 of 6 | unfinished" in row for row in body)
    began = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    for number in range(6):
        lines.append(section.kept.path, kept_line(number, began + datetime.timedelta(hours=5 * number)))
    body, holds = section.page(section.kept.done())
    assert holds and "6 runs over 25.0 hours." in body
    assert section.kept.left() == 0
