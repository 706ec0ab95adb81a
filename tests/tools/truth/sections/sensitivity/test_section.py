"""The section of a known difference, out of forged reports. Nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from samples.truth import comparison, line, report

from hopcost.statistics.verdict import Size
from tools.truth import lines, made_with
from tools.truth.form import Form
from tools.truth.sections.sensitivity import section, work


def test_what_is_seen_of_a_dearer_origin() -> None:
    def dearer(verdict: str, **more: object) -> Any:
        forged = report([comparison("cpu_per_request", verdict, 1.01, 1.03, **more)])
        arms = [msgspec.structs.replace(arm, name="dearer") if arm.name == "same-1" else arm for arm in forged.arms]
        return msgspec.structs.replace(forged, arms=arms)

    figures = section.seen(dearer("dearer", size=Size.NEGLIGIBLE))
    assert (figures["dearer"], figures["negligible"], figures["ratio"]) == (1.0, 1.0, pytest.approx(1.02))
    assert figures["half_width"] == pytest.approx(0.01 / 1.02)
    assert section.seen(dearer("same"))["dearer"] == 0.0
    assert section.seen(dearer("dearer", load_per_s=1000.0))["unsettled"] == 1.0, "the open loop is another figure"
    seen = {"dearer": 1.0, "same": 0.0}
    assert section.verdict("5 %", [seen] * 18 + [seen | {"dearer": 0.0}] * 2) == "yes"
    assert section.verdict("2 %", [seen | {"dearer": 0.0}] * 3) == "no"
    assert section.verdict("5 %", [seen] * 19) == "unfinished: 19 of 20 runs"
    assert section.verdict("5 %", [seen] * 3, wanted=3) == "yes"
    assert section.verdict("5 %", [seen, seen | {"dearer": 0.0}], wanted=3) == "no"
    same = seen | {"dearer": 0.0, "same": 1.0}
    assert section.verdict("5 %", [*[seen] * 19, same]) == "no: called the same"
    assert section.verdict("2 %", [*[seen] * 19, same]) == "yes"


def test_the_work_is_what_was_asked_for() -> None:
    close = [{"truly": 1.02 + 0.001 * (-1) ** n, "dearer": 1.0} for n in range(20)]
    assert section.is_as_asked("2 %", close) == "yes"
    assert section.is_as_asked("2 %", [{**run, "truly": run["truly"] + 0.006} for run in close]) == "not shown"
    assert section.is_as_asked("2 %", close[:19]) == "unfinished: 19 of 20 runs"


def test_sensitivity_waits_for_its_calibration(tmp_path: Path) -> None:
    sensitivity = section.Sensitivity(tmp_path)
    (calibration,) = sensitivity.cases()
    for number in range(calibration.runs):
        assert len(sensitivity.cases()) == 1
        figures = {"plain_ns": 4000.0, "40_ns": 4072.0, "100_ns": 4200.0}
        run = line(calibration.name, number, section=section.SECTION, figures=figures, settings=calibration.settings)
        run = msgspec.structs.replace(run, engine=made_with.build(), machine=made_with.this_machine())
        lines.append(sensitivity.kept.path, run)
    cases = {case.name: case for case in sensitivity.cases()}
    assert list(cases) == [calibration.name, "2 %", "5 %"]
    assert sum(case.runs for case in cases.values()) == 50


def test_the_short_form_of_sensitivity_has_the_large_difference_alone(tmp_path: Path) -> None:
    sensitivity = section.Sensitivity(tmp_path, Form.SHORT)
    assert sensitivity.kept.left() == 4, "a calibration, and three runs that wait for it"
    seen = {"dearer": 1.0, "same": 0.0, "negligible": 0.0, "ratio": 1.05, "half_width": 0.01, "spread": 0.1}
    run = seen | {"rounds": 40.0, "before_ns": 4e3, "plain_ns": 4e3, "truly": 1.05, "seconds": 60.0, "time_s": 60.0}
    runs = [line("5 %", n, section=section.SECTION, figures=run) for n in range(3)]
    calibrated = {"plain_ns": 4.0, "40_ns": 44.0, "100_ns": 204.0}
    first = line("calibration", section=section.SECTION, figures=calibrated)
    text, holds = sensitivity.page(lines.Sorted([first, *runs], {}))
    assert holds and "Calibration, 1 of 1 done" in "\n".join(text) and not any("| 2 %" in row for row in text)


def test_what_a_round_costs_by_hand() -> None:
    calibrated = line("calibration", section=section.SECTION, figures={"plain_ns": 4.0, "40_ns": 44.0, "100_ns": 204.0})
    done = lines.Sorted([calibrated], {})
    assert section.round_ns(done) == pytest.approx((40 * 40 + 100 * 200) / (40**2 + 100**2))
    run = line("2 %", section=section.SECTION, figures={"plain_ns": 4000.0, "rounds": 50.0, "truly": 1.02})
    done = lines.Sorted([calibrated, run], {})
    assert section.round_ns(done) == pytest.approx((1600 + 20_000 + 50 * 80) / (40**2 + 100**2 + 50**2))


def test_the_section_of_sensitivity() -> None:
    def of(name: str, n: int) -> dict[str, float]:
        costs = {"rounds": 40, "before_ns": 4000.0, "plain_ns": 4000.0, "truly": 1 + section.SHARES[name]}
        seen = {"dearer": float(n > 1), "same": 0.0, "negligible": 0.0, "ratio": 1.02, "half_width": 0.01}
        return {**costs, **seen, "spread": 0.1, "seconds": 60.0, "time_s": 60.0}

    runs = [line(name, n, section=section.SECTION, figures=of(name, n)) for name in section.SHARES for n in range(20)]
    text, holds = section.Sensitivity().page(lines.Sorted(runs, {}))
    assert holds and any(row.startswith("| 5 % | 20 of 20 | 4.00 | 40 | 1.0500 [") for row in text)
    text, holds = section.Sensitivity().page(lines.Sorted([], {}))
    assert not holds and any("unfinished: 0 of 20 runs" in row for row in text)
    missed = {"dearer": 0.0, "half_width": 0.04, "silent": 0.0, "spread": 0.16}
    runs = [line("2 %", n, section=section.SECTION, figures=of("2 %", n) | missed) for n in range(3)]
    text, holds = section.Sensitivity().page(lines.Sorted(runs, {}))
    assert not holds and "| 2 % | 3 of 20 |" in "\n".join(text)
    (why,) = [row for row in text if row.startswith("Why 2 % is missed: of the 3 runs that did not see it 3 gave")]
    assert "±4.0 % at the median" in why and "spread by 16 %" in why


def test_a_slow_start_and_a_burst_do_not_move_what_work_costs() -> None:
    quiet = [[4000.0, 4070.0, 4180.0]] * 5
    assert work.in_pairs([*quiet, [6000.0, 6075.0, 6190.0], [4000.0, 9000.0, 4180.0]]) == [4000.0, 4070.0, 4180.0]
    assert work.in_pairs([[4000.0], [6000.0], [4100.0]]) == [4100.0]
