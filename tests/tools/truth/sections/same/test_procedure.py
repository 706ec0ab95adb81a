"""The simulated procedure: hopcost's own loop on courses without a difference, with a virtual clock."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hopcost.record.contents.run import StopReason
from hopcost.statistics import comparisons
from tools.truth import lines, made_with
from tools.truth.sections.same import procedure
from tools.truth.sections.same.simulated import noise_of_run, simulated, spreads_by_arm

DICE = random.Random(5)
POOL = [[DICE.gauss(0, 0.02) for _ in range(8)] for _ in range(40)]


def test_a_run_is_a_real_course_round_and_round_with_its_sign_drawn() -> None:
    course = noise_of_run(7, [[0.1, 0.2, 0.3]], random.Random(1))
    signs = {value > 0 for value in course}
    assert len(signs) == 1
    assert sorted({round(abs(value) * 2**0.5, 9) for value in course}) == [0.1, 0.2, 0.3]
    assert course[:3] == course[3:6]


def test_it_goes_on_until_the_looks_or_the_time_end_it() -> None:
    calm, _, ending = simulated(1, 600.0, [[0.001, -0.001] * 4], random.Random(1))
    restless, _, _ = simulated(1, 600.0, [[0.5, -0.4, 0.3, -0.6]] * 2 + [[0.7, 0.6, 0.5]], random.Random(1))
    assert len(calm) == 6 and ending.why == StopReason.PRECISION
    assert len(restless) > 6
    short, _, out = simulated(4, 30.0, POOL, random.Random(1))
    assert 1 <= len(short) < 6 and out.why == StopReason.TIME


def test_false_alarms_are_counted_and_a_procedure_that_makes_them_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procedure, "courses", lambda: POOL)
    monkeypatch.setattr(procedure, "EACH", 30)
    sound = procedure.run("3 %", 1, 120.0, 0)
    monkeypatch.setattr(comparisons, "error_of_one_arm", lambda *_: 0.6)
    broken = procedure.run("3 %", 1, 120.0, 0)
    assert sound["excludes"] <= 4  # of 30, where 5 % are 1.5
    assert broken["excludes"] >= 10


def test_the_section_needs_all_runs_and_few_alarms() -> None:
    assert not procedure.Procedure().page(lines.Sorted([], {}))[1]

    def filled(excludes: float, of_first: float = 0.0) -> Any:
        figures = {"experiments": 100.0, "excludes": excludes, "directional": 0.0, "blocks": 700.0, "pool": 9.0}
        return lines.Sorted(
            [
                lines.Line(
                    section=procedure.SECTION, case=case.name, number=number, foreign=0, steal=0,
                    engine=made_with.Build(version="1", commit="c", behaviour=1),
                    machine=made_with.Machine(cpu="x", kernel="k", cores=2), settings=case.settings, time="",
                    figures=figures if place or not of_first else {**figures, "excludes": of_first},
                )
                for place, case in enumerate(procedure.Procedure().cases())
                for number in range(case.runs)
            ],
            {},
        )  # fmt: skip

    assert procedure.Procedure().page(filled(4.0))[1]
    assert not procedure.Procedure().page(filled(6.0))[1]
    assert procedure.Procedure().page(filled(4.0, of_first=6.0))[1], "60 of 1000 where 55 are expected are chance"
    assert not procedure.Procedure().page(filled(4.0, of_first=9.0))[1]


def test_restarts_are_of_the_whole_block_and_alike_for_the_baselines_two_runs() -> None:
    still = [[0.0] * 8]
    done, planned, _ = simulated(4, 120.0, still, random.Random(1), procedure.RESTARTS["unlike"])
    (experiment,) = planned.experiments
    by_arm = spreads_by_arm(experiment, procedure.RESTARTS["unlike"])
    assert by_arm == {"base": 0.02, "same-1": 0.0, "same-2": 0.08, "same-3": 0.05, "same-4": 0.02, "base-aa": 0.02}
    for block in done:
        for arm in block.arms:
            assert len({piece.answers for piece in arm.slices}) == 1, "one start, one speed"
    speeds = {
        name: {arm.answers / arm.elapsed_ns for block in done for arm in block.arms if arm.name == name}
        for name in by_arm
    }
    assert len(speeds["same-1"]) == 1 and len(speeds["same-2"]) == len(speeds["base-aa"]) == len(done)
