"""How soon intervals are narrow. A section of the truth's page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from hopcost.measure.protocols.spread import measure_spread
from hopcost.plan.method import METHOD
from hopcost.record.contents.run import StopReason
from hopcost.report.formats.json_schema import ReportedExperiment
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.plans import hop, suite_text
from tools.truth.runs import SPEEDS, VERDICTS_STEAL_MOST, arm_of, closed_loop, half_width, read_nothing, run_suite

SECTION = "precision"
PAIR_RUNS = 4
TARGET = 0.01
QUIET_SPREAD, QUIET_S, NOISY_TIMES = 0.08, 60.0, 1.5
TIME_MOST_S = 900.0
NEVER_S = 1e6  # stands for no prediction
NGINX, GO = hop("nginx"), hop("go-hello")
COLUMNS = ["arms", "run:", "spread of pairs:", "predicted, s:", "allowed:", "taken:", "blocks:", "± predicted:"]
COLUMNS += ["± throughput:", "± CPU:", "within"]
# A run ends early if an interval is clear of the margin, however wide. With the least margin the baseline's own
# second run, whose ratio is 1, must come within the target.
TO_TARGET = ("--precision", 100 * TARGET, "--margin", 0.1)
PAIRS = {
    "origin beside itself": ([hop("origin")], [hop("origin")]),
    "nginx before go over TCP and over a Unix socket": ([NGINX, GO], [NGINX, hop("go-hello", "http+unix")]),
}


def suite(name: str) -> str:
    """The two arms, one core for the stack."""
    return suite_text("precision", dict(zip(("one", "other"), PAIRS[name], strict=True)))


def allowed_s(spread: float, predicted_s: float) -> float:
    """How long ±1 % may take; no prediction (infinite) allows the longest run.

    >>> allowed_s(0.07, 100), allowed_s(0.08, 100), allowed_s(0.08, math.inf)
    (60.0, 150.0, 900.0)
    """
    return QUIET_S if spread < QUIET_SPREAD else min(TIME_MOST_S, max(QUIET_S, NOISY_TIMES * predicted_s))


def for_target_s(predicted_s: float, precision: float = METHOD.precision) -> float:
    """A prediction of a run's own precision, for the target of this section: time goes as one over the square.

    >>> for_target_s(20.0, precision=0.03)
    180.0
    """
    return round(predicted_s * (precision / TARGET) ** 2, 6)


def predicted_width(predicted_s: float, seconds: float) -> float:
    """The half-width that a prediction for the target of this section gives for a run of so many seconds.

    >>> predicted_width(900.0, 225.0)
    0.02
    """
    return TARGET * math.sqrt(predicted_s / seconds)


def run_pair(name: str, number: int) -> Figures:
    """Two arms in the time that the spread of pairs just before allows."""
    look = measure_spread()
    predicted_s = for_target_s(look.forecasts[0].seconds)
    allowed = allowed_s(look.throughput, predicted_s)
    options, keep = (*TO_TARGET, "--seed", number), f"{name}-{number}".replace(" ", "-")
    experiment, seconds, _ = run_suite(suite(name), allowed, read_nothing, *options, keep=keep)
    figures = {"spread": look.throughput, "predicted_s": min(predicted_s, NEVER_S), "allowed_s": allowed}
    return {**figures, "seconds": round(seconds, 2), "blocks": experiment.blocks, **widths(experiment, "other")}


def widths(experiment: ReportedExperiment, arm: str) -> Figures:
    """Half-widths of the printed intervals of an arm in the closed loop; -1 where there is none."""
    figures: Figures = {
        "stopped_on_precision": float(experiment.ending is not None and experiment.ending.why == StopReason.PRECISION)
    }
    for name in SPEEDS:
        beside = closed_loop(arm_of(experiment, arm), name)
        width = half_width(beside.ratio if beside is not None else None)
        figures[f"{name}_width"] = width if math.isfinite(width) else -1.0
    return figures


def is_narrow(figures: Figures) -> bool:
    """Whether both intervals reached the target in the time allowed."""
    return all(0 <= figures[f"{name}_width"] <= TARGET for name in SPEEDS)


def _pair_row(name: str, number: int, run: Figures) -> list[str]:
    predicted, width = "never", "–"
    if run["predicted_s"] < NEVER_S:
        predicted = f"{run['predicted_s']:.0f}"
        width = f"{predicted_width(run['predicted_s'], run['seconds']) * 100:.2f} %"
    seconds = [f"{run[key]:.0f}" for key in ("allowed_s", "seconds", "blocks")]
    widths = [f"{run[f'{figure}_width'] * 100:.2f} %" if run[f"{figure}_width"] >= 0 else "–" for figure in SPEEDS]
    spread = f"{run['spread'] * 100:.1f} %"
    return [name, str(number), spread, predicted, *seconds, width, *widths, "yes" if is_narrow(run) else "no"]


def is_decided(runs: Sequence[Figures]) -> bool:
    """Whether the runs to come cannot change the verdict."""
    narrow = sum(map(is_narrow, runs))
    return narrow > PAIR_RUNS / 2 or len(runs) - narrow >= PAIR_RUNS / 2


def pair_verdict(runs: Sequence[Figures]) -> str:
    """Whether more than half of the runs were narrow in time."""
    if not is_decided(runs):
        return unfinished(len(runs), PAIR_RUNS)
    return "yes" if sum(map(is_narrow, runs)) > PAIR_RUNS / 2 else "no"


class Precision(Section):
    """Pairs of arms."""

    key = SECTION
    heading = "# Narrow in time"
    asks = "Ranges are narrow as soon as promised"
    tells = ("± throughput", "± CPU")

    def cases(self) -> list[Case]:
        """Whole runs, each as long as the spread of pairs allows."""
        method: dict[str, object] = {"method": METHOD.number}
        steal = VERDICTS_STEAL_MOST
        return [Case(SECTION, name, partial(run_pair, name), PAIR_RUNS, method, steal, is_decided) for name in PAIRS]

    def parts(self, done: Sorted) -> list[Part]:
        """Run by run."""
        return [_pairs(done)]


def _pairs(done: Sorted) -> Part:
    prose = (
        "Two arms, one core for the stack, 64 connections. The printed intervals of throughput and CPU per request"
        f" must be within ±{TARGET * 100:g} % after {QUIET_S:g} s if the spread of pairs (`hopcost doctor"
        f" --spread`, just before) is below {QUIET_SPREAD * 100:g} %, else after {NOISY_TIMES:g} × the time that it"
        f" predicts, {TIME_MOST_S:g} s at most (*never*: not within the last look, as it says). It holds if"
        " more than half of the runs do. *± predicted* is the half-width that the prediction gives for the time taken."
        f" The bars of {QUIET_S:g} s and {TIME_MOST_S:g} s are older than method 3. Its ranges hold that starts of a"
        " stack differ, and its predictions do too. If a prediction is longer than the time allowed, the bar asks for"
        " more than hopcost promises."
    )
    rows = [
        _pair_row(name, number, run) for name in PAIRS for number, run in enumerate(done.of(SECTION, name), start=1)
    ]
    words = {name: pair_verdict(done.of(SECTION, name)) for name in PAIRS}
    after = "Holds: " + "; ".join(f"{name}: {word}" for name, word in words.items()) + "."
    return Part([prose], COLUMNS, rows, list(words.values()), [after])
