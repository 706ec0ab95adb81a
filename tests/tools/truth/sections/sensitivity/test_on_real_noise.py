"""The section of a known difference on real noise: the words are counted, and what calls it the same is caught."""

from __future__ import annotations

import random
from typing import Any

import pytest
from samples.truth import line

from hopcost.statistics import comparisons, verdict
from tools.truth import lines
from tools.truth.sections.same.simulated import compared, simulated
from tools.truth.sections.sensitivity import on_real_noise

DICE = random.Random(5)
POOL = [[DICE.gauss(0, 0.02) for _ in range(8)] for _ in range(40)]


def test_the_other_arm_has_the_speed_that_is_asked_for_and_the_baselines_copy_has_not() -> None:
    done, planned, ending = simulated(1, 120.0, [[0.0] * 8], random.Random(1), speed=0.95)
    speeds = {arm.name: arm.answers / arm.elapsed_ns for block in done for arm in block.arms}
    assert speeds["same-1"] / speeds["base"] == pytest.approx(0.95, abs=1e-5)
    assert speeds["base-aa"] == speeds["base"]
    (slower,) = compared(done, planned, ending)
    assert slower.verdict.word == "slower" and slower.ratio is not None
    assert slower.ratio.value == pytest.approx(0.95, abs=1e-5)


def test_verdicts_are_counted_and_a_margin_that_is_too_wide_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_real_noise, "courses", lambda _rounds_least: POOL)
    monkeypatch.setattr(on_real_noise, "EACH", 20)
    sound = on_real_noise.run("none", 120.0, 0)
    assert sound["experiments"] == 20 and sound["slower"] >= 15
    assert sound["same"] == sound["negligible"] == sound["faster"] == 0
    judge = verdict.judge_interval
    monkeypatch.setattr(
        comparisons, "judge_interval", lambda interval, _margin, *more, **named: judge(interval, 0.2, *more, **named)
    )
    assert on_real_noise.run("none", 120.0, 0)["negligible"] >= 15


def test_at_most_one_in_a_hundred_of_a_row_may_say_the_same() -> None:
    def filled(wrong: float) -> Any:
        figures = dict.fromkeys(on_real_noise.COUNTED, 0.0) | {"experiments": 100.0, "blocks": 900.0, "pool": 9.0}
        first = figures | {"same": wrong}
        runs = [
            line(case.name, number, section=on_real_noise.SECTION, figures=figures if number else first)
            for case in on_real_noise.KnownDifference().cases()
            for number in range(case.runs)
        ]
        return lines.Sorted(runs, {})

    section = on_real_noise.KnownDifference()
    assert not section.page(lines.Sorted([], {}))[1]
    assert section.page(filled(10.0))[1]
    assert not section.page(filled(11.0))[1]
