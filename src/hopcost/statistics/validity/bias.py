"""Whether the baseline differs from itself: then the instrument is at fault, and its figure or its run has no verdicts.

The interval of second ÷ first run must lie beyond the margin of 2 %, at an error of 1 %. One experiment's takes the
verdicts of that figure there. The mean over all experiments takes those of the run: it finds a bias of 5 % in 85 of 100
runs of three experiments and six blocks, where one experiment alone finds it in 40.
"""

from __future__ import annotations

from statistics import fmean

from hopcost.plan.method import METHOD
from hopcost.statistics import random_effects
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.figures import BlockFigure, cpu_per_request, throughput
from hopcost.statistics.intervals import Interval, of_logs
from hopcost.statistics.random_effects import Contrast
from hopcost.statistics.verdict import is_beyond

FIGURES = {"throughput": throughput, "CPU per request": cpu_per_request}
RUN_IS_BIASED = "the baseline differs from itself in {figures}, over all experiments: the run has no verdicts"


def why_figure_is_convicted(arms: PairedBlocks, figure: BlockFigure, experiments: int) -> str | None:
    """Why a figure of an experiment has no verdicts, if so; the experiments of a run share the error."""
    if arms.copy is None or arms.count(arms.copy, figure, arms.copied_arm) < METHOD.min_blocks:
        return None
    floor = arms.floor(figure, METHOD.aa_error / max(1, experiments))
    if floor is None or not is_beyond(floor, METHOD.min_margin):
        return None
    return f"{arms.copied_arm} differs from itself here: {floor.value:.3f} [{floor.low:.3f}, {floor.high:.3f}]"


def why_run_is_convicted(record: RecordBlocks) -> str | None:
    """Why a whole run has no verdicts, if so."""
    error = METHOD.aa_error / len(FIGURES)
    convicting = [
        name for name, figure in FIGURES.items() if is_beyond(mean_floor(record, figure, error), METHOD.min_margin)
    ]
    return RUN_IS_BIASED.format(figures=" and ".join(convicting)) if convicting else None


def can_be_judged(record: RecordBlocks) -> bool:
    """Whether there is a second run of the baseline with two starts."""
    return any(_floors(record, figure) for figure in FIGURES.values())


def mean_floor(record: RecordBlocks, figure: BlockFigure, error: float) -> Interval | None:
    """Second ÷ first run in the mean over experiments, start by start; None if no experiment has two starts."""
    floors = _floors(record, figure)
    if not floors:
        return None
    starts = max(len(floor.logs) for floor in floors)
    logs, variances = [], []
    for start in range(starts):
        having = [floor for floor in floors if start < len(floor.logs)]
        logs.append(fmean(floor.logs[start] for floor in having))
        variances.append(sum((floor.variance or 0.0) / floor.rounds[start] for floor in having) / len(having) ** 2)
    is_known = all(floor.variance is not None for floor in floors)
    degrees = sum(floor.degrees for floor in floors) if is_known else 0
    mean = Contrast(logs, [1] * starts, fmean(variances) if is_known else None, degrees)
    return of_logs(random_effects.estimate([mean])[0].interval(error))


def _floors(record: RecordBlocks, figure: BlockFigure) -> list[Contrast]:
    """The contrast of second and first run in each experiment that has it in two starts."""
    contrasts = [
        arms.contrast(arms.copy, figure, arms.copied_arm, of_difference=False)
        for arms in record.experiments.values()
        if arms.copy is not None
    ]
    return [contrast for contrast in contrasts if contrast is not None and len(contrast.logs) >= METHOD.min_blocks]
