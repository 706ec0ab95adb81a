"""What other load generators say of times and of kept connections: their own figures, which nobody merges."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.document import Part
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


def part(group: list[ExperimentSummary]) -> Part | None:
    """The table; None where no other generator ran, or none said anything."""
    figures = [(each, *found) for each in group for found in _of(each)]
    times = [name for name in TIMES if any(name in found.latency_ms for _, _, found in figures)]
    with_kept = any(found.kept is not None for _, _, found in figures)
    if not times and not with_kept:
        return None
    point = group[0].plan.point
    header = [point.key.rpartition(".")[2]] if point is not None else []
    header += ["arm", *(f"{name} ms" for name in times), *(["kept"] if with_kept else [])]
    rows, before = [], None
    for each, arm, found in figures:
        shown = [] if each.plan.point is None else ["" if each is before else label(each.plan.point.value)]
        rows.append([*shown, arm, *_cells(found, times), *([_kept(found)] if with_kept else [])])
        before = each
    below = [OWN] if times else []
    return Part("as the other generator says", header, rows, [*below, *([KEPT] if with_kept else [])])


def _of(each: ExperimentSummary) -> list[tuple[str, PeerFigures]]:
    """Arms that another generator drove, in blocks or in repeats."""
    arms = [(arm.name, arm.peer_figures) for arm in each.arms] + [(arm.name, arm.peer_figures) for arm in each.repeats]
    return [(name, found) for name, found in arms if found is not None]


def _cells(found: PeerFigures, times: list[str]) -> list[str]:
    return [formatting.span(found.latency_ms.get(name, []), digits=1) for name in times]


def _kept(found: PeerFigures) -> str:
    return ABSENT if found.kept is None else f"{found.kept:,} of {found.answers:,}"
