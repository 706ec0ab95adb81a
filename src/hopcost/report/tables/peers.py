"""Times and kept connections by other load generators: their own figures, not merged with ours."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT, swept_key, swept_value
from hopcost.statistics.summary.repeats import PeerFigures
from hopcost.statistics.summary.summary import ExperimentSummary

TIMES = ("mean", "p50", "p90", "p99", "max")
OWN = (
    "times: as the tool prints them, of several runs lowest–highest; its connections are always busy, and users see"
    " other times"
)
KEPT = "kept: answers after which the connection was kept, by the tool's own count, of all that it counts as correct"


def peer_table(group: list[ExperimentSummary]) -> Table | None:
    """The table; None if no other generator ran, or none printed such figures."""
    arms = [(experiment, *named) for experiment in group for named in _arms(experiment)]
    times = [name for name in TIMES if any(name in figures.latency_ms for _, _, figures in arms)]
    with_kept = any(figures.kept is not None for _, _, figures in arms)
    if not times and not with_kept:
        return None
    key = swept_key(group[0])
    header = [key] if key else []
    header += ["stack", *(f"{name} ms" for name in times), *(["kept"] if with_kept else [])]
    rows, before = [], None
    for experiment, arm, figures in arms:
        shown = ["" if experiment is before else swept_value(experiment)] if key else []
        rows.append([*shown, arm, *_cells(figures, times), *([_kept(figures)] if with_kept else [])])
        before = experiment
    below = [OWN] if times else []
    below += [KEPT] if with_kept else []
    return Table(header, rows, "as the other generator says", below, words=2 if key else 1)


def _arms(experiment: ExperimentSummary) -> list[tuple[str, PeerFigures]]:
    """The arms that another generator loaded, in blocks or in repeats, with its figures."""
    driven = [(arm.name, arm.peer_figures) for arm in experiment.arms]
    driven += [(arm.name, arm.peer_figures) for arm in experiment.repeats]
    return [(name, figures) for name, figures in driven if figures is not None]


def _cells(figures: PeerFigures, times: list[str]) -> list[str]:
    return [formatting.span(figures.latency_ms.get(name, []), digits=1) for name in times]


def _kept(figures: PeerFigures) -> str:
    return ABSENT if figures.kept is None else f"{figures.kept:,} of {figures.answers:,}"
