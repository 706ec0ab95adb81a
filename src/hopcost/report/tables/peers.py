"""What other load generators say of times and of kept connections: their own figures, which nobody merges."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT
from hopcost.statistics.summary.repeats import PeerFigures
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.suites.published import label

TIMES = ("mean", "p50", "p90", "p99", "max")
OWN = (
    "times: as the tool prints them, of several runs lowest–highest; its connections are always busy, so this is not"
    " what a user waits for"
)
KEPT = "kept: answers after which the connection was kept, by the tool's own count, of all that it counts as correct"


def peer_table(group: list[ExperimentSummary]) -> Table | None:
    """The table; None if no other generator ran, or none printed such figures."""
    arms = [(experiment, *named) for experiment in group for named in _arms(experiment)]
    times = [name for name in TIMES if any(name in figures.latency_ms for _, _, figures in arms)]
    with_kept = any(figures.kept is not None for _, _, figures in arms)
    if not times and not with_kept:
        return None
    point = group[0].plan.point
    header = [point.key.rpartition(".")[2]] if point is not None else []
    header += ["arm", *(f"{name} ms" for name in times), *(["kept"] if with_kept else [])]
    rows, before = [], None
    for experiment, arm, figures in arms:
        own_point = experiment.plan.point
        shown = [] if own_point is None else ["" if experiment is before else label(own_point.value)]
        rows.append([*shown, arm, *_cells(figures, times), *([_kept(figures)] if with_kept else [])])
        before = experiment
    below = [OWN] if times else []
    return Table(header, rows, "as the other generator says", [*below, *([KEPT] if with_kept else [])])


def _arms(experiment: ExperimentSummary) -> list[tuple[str, PeerFigures]]:
    """Arms that another generator drove, in blocks or in repeats, with its figures."""
    driven = [(arm.name, arm.peer_figures) for arm in experiment.arms]
    driven += [(arm.name, arm.peer_figures) for arm in experiment.repeats]
    return [(name, figures) for name, figures in driven if figures is not None]


def _cells(figures: PeerFigures, times: list[str]) -> list[str]:
    return [formatting.span(figures.latency_ms.get(name, []), digits=1) for name in times]


def _kept(figures: PeerFigures) -> str:
    return ABSENT if figures.kept is None else f"{figures.kept:,} of {figures.answers:,}"
