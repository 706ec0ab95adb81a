"""What not freezing does: how a change is reckoned and judged. Nothing is run."""

from __future__ import annotations

import math

import msgspec
import pytest
from samples.truth import comparison, filled, report

from hopcost.errors import MeasurementFailed
from hopcost.report.formats.json_schema import ReportedExperiment
from tools.truth.form import Form
from tools.truth.sections.versus import not_freezing
from tools.truth.sections.versus.not_freezing import NotFreezing, change, figures_of, verdict

STEADY = {"voided": 0.0, "rate": 0.01, "cpu": -0.01, "ratio": 0.0}
VOIDED = {"voided": 1.0, "rate": 0.0, "cpu": 0.0, "ratio": 0.0}


def told(rate: float, cpu_ns: int | None, low: float = 0.9, high: float = 1.1) -> ReportedExperiment:
    experiment = report([comparison("throughput", "not settled", low, high)])
    cpu = {"go-hello": cpu_ns, "generator": 5}
    experiment.arms[0] = msgspec.structs.replace(experiment.arms[0], throughput_per_s=rate, cpu_ns_per_request=cpu)
    return experiment


def test_figures_are_the_plain_servers_and_the_ratio_is_the_readers() -> None:
    assert figures_of(told(1000.0, 12_000)) == {"rate": 1000.0, "cpu": 12_000.0, "ratio": 1.0}
    with pytest.raises(MeasurementFailed):
        figures_of(told(1000.0, None))


def test_a_change_is_not_frozen_over_frozen() -> None:
    frozen, running = (figures_of(told(rate, cpu)) for rate, cpu in ((1000.0, 10_000), (900.0, 10_500)))
    assert change(frozen, running) == pytest.approx(
        {"voided": 0.0, "rate": math.log(0.9), "cpu": math.log(1.05), "ratio": 0.0}
    )
    assert change(frozen, None) == VOIDED


@pytest.mark.parametrize(
    ("runs", "word"),
    [
        ([STEADY] * 15, "yes"),
        ([{**STEADY, "rate": -0.11}] * 15, "no"),
        ([STEADY] * 14 + [{**STEADY, "cpu": 0.2}], "yes"),
        ([STEADY] * 8 + [{**STEADY, "cpu": 0.2}] * 7, "undecided"),  # its median is small, its interval is not
        ([VOIDED] * 15, "yes"),
        ([STEADY] * 3, "unfinished: 3 of 15 runs"),
    ],
)
def test_the_interval_of_each_figures_median_is_judged(runs: list[dict[str, float]], word: str) -> None:
    assert verdict(15, runs) == word


def test_the_page_has_a_row_for_each_neighbour() -> None:
    section = NotFreezing()
    lines, holds = section.page(filled(section, lambda case, _: VOIDED if "burner" in case.name else STEADY))
    assert holds
    rows = [line for line in lines if line.startswith("| ")][2:]
    assert [row.split("|")[1].strip() for row in rows][-3:] == list(not_freezing.NEIGHBOURS)
    assert "+1.0 % [+1.0, +1.0]" in rows[-3] and "| 15 " in rows[-1]
    assert [case.runs for case in NotFreezing(form=Form.SHORT).cases()] == [2, 2, 2]
