"""A gate against a history: which record, beside which others, and what may not be judged."""

from __future__ import annotations

import math

import pytest
from samples.questions.histories import CALM, calm, kept, series

from hopcost.history.contents.summary import KeptArm, KeptComparison, KeptExperiment
from hopcost.history.points import Series
from hopcost.report.questions.history.newest.answer import WITHOUT, HistoryGate, gate_newest, reasons_in
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.decision import GateOutcome
from hopcost.statistics.questions.gate.figures import GateFigures

MARGIN = 0.1


def gate(
    throughput: list[Series],
    cpu: list[Series],
    reasons: dict[str, str] | None = None,
    deciding: GateFigures = GateFigures.BOTH,
) -> HistoryGate:
    by_figure = {THROUGHPUT: throughput, CPU: cpu}
    return gate_newest("nginx-go/one-core/nginx", by_figure, MARGIN, deciding, lambda _: reasons or {})


def then(ratio: float, figure: str = THROUGHPUT) -> Series:
    """Twelve calm days and one record of this ratio."""
    return series([kept(day) for day in range(13)], [*CALM, ratio], figure)


@pytest.mark.parametrize(
    ("throughput", "cpu", "outcome", "code"),
    [
        (0.46, 0.46, GateOutcome.WITHIN, 0),
        (0.35, 0.46, GateOutcome.BEYOND, 1),
        (0.46, 0.6, GateOutcome.BEYOND, 1),
        (0.46 / 1.1, 0.46, GateOutcome.NOT_SETTLED, 4),
    ],
)
def test_the_newest_record_decides(throughput: float, cpu: float, outcome: GateOutcome, code: int) -> None:
    answer = gate([then(throughput)], [then(cpu, CPU)])
    assert (answer.decision.outcome, answer.exit_code) == (outcome, code)
    assert answer.record == kept(12)
    beside = answer.beside[THROUGHPUT]
    assert (beside.first, beside.last, beside.newest.stretch.records) == (kept(0), kept(11), 12)
    assert beside.newest.difference == pytest.approx(math.log(throughput) - beside.newest.stretch.mean)


def test_records_of_another_machine_are_counted_and_not_mixed_in() -> None:
    elsewhere = [kept(day, machine="8" * 64, host="ci-8") for day in range(8)]
    answer = gate([then(0.46), series(elsewhere, [0.2] * 8)], [then(0.46, CPU), series(elsewhere, [0.9] * 8, CPU)])
    assert answer.apart == 8 and answer.decision.outcome is GateOutcome.WITHIN


def test_the_newest_record_of_all_decides_the_machine() -> None:
    elsewhere = [kept(day, machine="8" * 64, host="ci-8") for day in (20, 21)]
    answer = gate([then(0.46), series(elsewhere, [0.2] * 2)], [then(0.46, CPU)])
    assert answer.record.host == "ci-8" and answer.decision.outcome is GateOutcome.NOT_SETTLED
    assert answer.no_verdict[CPU] == WITHOUT and "fewer than 3" in answer.no_verdict[THROUGHPUT]


def test_a_figure_that_the_newest_record_lacks_decides_nothing() -> None:
    answer = gate([then(0.46)], [calm(CPU)])
    assert answer.decision.outcome is GateOutcome.NOT_SETTLED and answer.no_verdict == {CPU: WITHOUT}
    assert gate([then(0.46)], [calm(CPU)], deciding=GateFigures.THROUGHPUT).decision.outcome is GateOutcome.WITHIN


def test_what_has_no_verdict_in_its_record_has_none_here() -> None:
    answer = gate([then(0.3)], [then(0.46, CPU)], {THROUGHPUT: "the load generator was full"})
    assert answer.decision.outcome is GateOutcome.NOT_SETTLED
    assert answer.no_verdict == {THROUGHPUT: "the load generator was full"}


def test_reasons_are_read_off_the_kept_summary() -> None:
    def comparison(figure: str, load_per_s: float | None, why: str | None) -> KeptComparison:
        return KeptComparison(figure=figure, load_per_s=load_per_s, ratio=None, verdict="no verdict", no_verdict=why)

    arm = KeptArm(
        name="nginx",
        title="",
        answers=1,
        throughput_per_s=None,
        throughput_is_a_bound=False,
        cpu_ns_per_request={},
        comparisons=(
            comparison(THROUGHPUT, None, "errors"),
            comparison(CPU, None, None),
            comparison(CPU, 1000.0, "too few"),
        ),
    )
    experiment = KeptExperiment(
        name="one-core",
        question="",
        baseline="go",
        starts=6,
        void=0,
        ended=None,
        margin=0.02,
        no_verdicts=None,
        noise=None,
        arms=(arm,),
    )
    assert reasons_in([experiment], "one-core", "nginx") == {THROUGHPUT: "errors"}
    assert reasons_in([experiment], "one-core", "go") == reasons_in([experiment], "other", "nginx") == {}
