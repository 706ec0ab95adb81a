"""What a history's newest record says of a margin: its figures beside the last stretch of the records before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from hopcost.history.contents.summary import KeptExperiment
from hopcost.history.points import KeptRecord, Point, Series
from hopcost.report.questions.history.answer import logs_of
from hopcost.statistics.change_points import Newest, newest_record
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.decision import GateDecision
from hopcost.statistics.questions.gate.figures import GateFigures
from hopcost.statistics.questions.gate.newest import decide_newest, measure_newest

FIGURES = (THROUGHPUT, CPU)
WITHOUT = "the newest record does not have it"


class BesideStretch(msgspec.Struct, frozen=True):
    """A figure of the newest record, the stretch, and the points that both are of."""

    newest: Newest
    points: tuple[Point, ...]

    @property
    def first(self) -> KeptRecord:
        """Of the stretch."""
        return self.points[self.newest.stretch.first].record

    @property
    def last(self) -> KeptRecord:
        """Of the stretch, in time."""
        return self.points[self.newest.stretch.after - 1].record


class HistoryGate(msgspec.Struct, frozen=True):
    """`name` is SUITE/EXPERIMENT/ARM, `margin` a fraction, `record` the newest; `beside` has the figures that it has.

    `no_verdict` says why a figure may not be judged. `apart` counts the records that are of another machine, method or
    configuration.
    """

    name: str
    margin: float
    deciding: GateFigures
    decision: GateDecision
    record: KeptRecord
    beside: dict[str, BesideStretch]
    no_verdict: dict[str, str]
    apart: int

    @property
    def exit_code(self) -> int:
        """What the gate ends with."""
        return self.decision.outcome.exit_code


def gate_newest(
    name: str,
    by_figure: Mapping[str, Sequence[Series]],
    margin: float,
    deciding: GateFigures,
    reasons_of: Callable[[str], Mapping[str, str]],
) -> HistoryGate:
    """Of the series of throughput and CPU per request; one of them at least is not empty.

    The newest record of all decides which machine, method and configuration it is about. `reasons_of` its digest says
    why figures of it have no verdict in its own report.
    """
    everything = [series for figure in FIGURES for series in by_figure.get(figure, ())]
    newest = max(everything, key=lambda series: series.points[-1].record.started)
    record = newest.points[-1].record
    reasons = reasons_of(record.digest)
    beside: dict[str, BesideStretch] = {}
    measured = []
    for figure in FIGURES:
        series = next((one for one in by_figure.get(figure, ()) if _key(one) == _key(newest)), None)
        if series is None or series.points[-1].record.digest != record.digest:
            measured.append(measure_newest(figure, None, margin, WITHOUT))
            continue
        own = newest_record(*logs_of(series))
        measured.append(measure_newest(figure, own, margin, reasons.get(figure)))
        if own is not None:
            beside[figure] = BesideStretch(own, series.points)
    apart = {point.record.digest for series in everything if _key(series) != _key(newest) for point in series.points}
    return HistoryGate(
        name=name,
        margin=margin,
        deciding=deciding,
        decision=decide_newest(measured, deciding),
        record=record,
        beside=beside,
        no_verdict={figure.figure: figure.why for figure in measured if figure.why is not None},
        apart=len(apart),
    )


def reasons_in(summary: Sequence[KeptExperiment], experiment: str, arm: str) -> dict[str, str]:
    """Why figures at saturation have no verdict in a record's own report, by figure."""
    return {
        comparison.figure: comparison.no_verdict
        for kept in summary
        if kept.name == experiment
        for own in kept.arms
        if own.name == arm
        for comparison in own.comparisons
        if comparison.load_per_s is None and comparison.no_verdict is not None
    }


def _key(series: Series) -> tuple[str, int, str]:
    return series.machine, series.method, series.configuration
