"""False alarms: arms that are the same as the baseline, through whole runs of hopcost. A section of the truth."""

from __future__ import annotations

import math
from functools import partial

from hopcost.plan.method import METHOD
from hopcost.report.formats.json_arm import ReportedComparison
from hopcost.report.formats.json_schema import ReportedExperiment
from hopcost.statistics.verdict import NO_VERDICT, NOT_SETTLED
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.plans import hop, suite_text
from tools.truth.runs import (
    SPEEDS,
    VERDICTS_STEAL_MOST,
    closed_loop,
    compared_arms,
    excludes_one,
    half_width,
    has_direction,
    is_beyond_margin,
    is_silent,
    read_nothing,
    run_suite,
)

SECTION = "alarms"
TIME_S = 20.0
DIRECTIONAL_MOST = 2
EXCLUDES_MOST = 0.1  # of the runs
RESOLVED_WIDTH = 0.05
JUDGED_LEAST = 0.9  # of the runs must have verdicts: without verdicts there are no false alarms
# How many experiments of each form, program and number of arms beside the baseline. 20 s hold one look of a run at
# most. If the run goes on after it, its end has all of the error. A quick run has that look alone.
RUN, QUICK = "run", "quick"
KINDS = {
    (RUN, "origin", 1): 35,
    (RUN, "origin", 2): 35,
    (RUN, "nginx", 1): 15,
    (RUN, "nginx", 2): 15,
    (QUICK, "origin", 1): 10,
    (QUICK, "origin", 2): 10,
    (QUICK, "nginx", 1): 5,
    (QUICK, "nginx", 2): 5,
}
ANSWERS = {"origin": "the embedded origin", "nginx": "nginx, a fixed answer"}
COLUMNS = ["form", "who answers", "arms beside:", "done:", "directional: throughput:", "CPU:", "without 1: throughput:"]
COLUMNS += ["CPU:", "one or the other:", "not settled:", "runs without verdicts:", "blocks:", "± throughput:"]
COLUMNS += ["± CPU:"]


def _name(form: str, program: str, beside: int) -> str:
    return f"{program} beside {beside}, {form}"


def suite(program: str, beside: int) -> str:
    """A baseline, and arms that are the same."""
    names = ["base", *(f"same-{number + 1}" for number in range(beside))]
    return suite_text("alarms", {name: [hop(program)] for name in names})


def run(form: str, program: str, beside: int, number: int) -> Figures:
    """One experiment: what it says of arms that do not differ."""
    options = ["--quick"] if form == QUICK else []
    content = suite(program, beside)
    experiment, seconds, _ = run_suite(content, TIME_S, read_nothing, *options, "--seed", number)
    return {**counted(experiment), "seconds": round(seconds, 2), "blocks": experiment.blocks}


def counted(experiment: ReportedExperiment) -> Figures:
    """By figure of the closed loop: comparisons, intervals without 1, verdicts beyond the margin, not settled ones.

    Of throughput and CPU per request also: verdicts with a direction, however small, and comparisons that are resolved
    (a direction, `same`, or an interval within ±5 %), of all that are present.

    `other_` counts the same over all that stands in the report besides: hops apart, response times, loads of the open
    loop.
    """
    figures: Figures = {"silent": float(is_silent(experiment))}
    groups = {name: [closed_loop(arm, name) for arm in compared_arms(experiment)] for name in SPEEDS}
    taken = [id(comparison) for group in groups.values() for comparison in group]
    every = [comparison for arm in compared_arms(experiment) for comparison in arm.comparisons]
    groups["other"] = [comparison for comparison in every if id(comparison) not in taken]
    for name, comparisons in groups.items():
        present = [comparison for comparison in comparisons if comparison is not None]
        known = [comparison for comparison in present if comparison.ratio is not None]
        figures[f"{name}_comparisons"] = len(known)
        figures[f"{name}_excludes"] = sum(excludes_one(comparison.ratio) for comparison in known)
        figures[f"{name}_directional"] = sum(is_beyond_margin(comparison) for comparison in known)
        if name in SPEEDS:
            figures[f"{name}_width"] = widest(known)
            figures[f"{name}_directions"] = sum(map(has_direction, known))
            figures[f"{name}_present"] = len(present)
            figures[f"{name}_resolved"] = sum(map(is_resolved, present))
        figures[f"{name}_unsettled"] = sum(comparison.verdict in (NOT_SETTLED, NO_VERDICT) for comparison in present)
    return figures


def is_resolved(comparison: ReportedComparison) -> bool:
    """Whether it says something: a direction, that nothing differs, or a ratio to ±5 %."""
    has_answer = has_direction(comparison) or comparison.verdict == "same"
    return has_answer or half_width(comparison.ratio) <= RESOLVED_WIDTH


def widest(comparisons: list[ReportedComparison]) -> float:
    """The largest half-width; -1 if an interval is missing."""
    widths = [half_width(comparison.ratio) for comparison in comparisons if comparison.ratio is not None]
    return max(widths) if widths and all(map(math.isfinite, widths)) else -1.0


def directional(figures: Figures) -> int:
    """Verdicts beyond the margin on throughput and CPU per request."""
    return int(sum(figures[f"{name}_directional"] for name in SPEEDS))


def has_excluded(figures: Figures, *names: str) -> bool:
    """Whether one of these figures has an interval without 1 in this experiment."""
    return any(figures[f"{name}_excludes"] > 0 for name in names)


def verdict(form: str, runs: list[Figures], wanted: int) -> str:
    """No as soon as there are too many; yes when all are done. Of quick runs those without 1 are counted alone."""
    if form == RUN and sum(map(directional, runs)) > DIRECTIONAL_MOST:
        return "no"
    if sum(has_excluded(figures, *SPEEDS) for figures in runs) > EXCLUDES_MOST * wanted:
        return "no"
    if len(runs) < wanted:
        return unfinished(len(runs), wanted)
    judged = sum(not figures["silent"] for figures in runs)
    return "yes" if judged >= JUDGED_LEAST * wanted else f"no: only {judged} runs had verdicts"


class Alarms(Section):
    """100 experiments, and quick ones."""

    key = SECTION
    heading = "# False alarms"
    asks = "Nothing is called different that is the same"

    def cases(self) -> list[Case]:
        """An experiment of each form, for each who answers, with one and with two arms beside the baseline."""
        return [
            Case(
                SECTION,
                _name(form, program, beside),
                partial(run, form, program, beside),
                runs,
                {"time_s": TIME_S, "beside": beside, "method": METHOD.number},
                VERDICTS_STEAL_MOST,
            )
            for (form, program, beside), runs in KINDS.items()
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each kind of experiment, and one for all of a form."""
        wanted = {form: sum(runs for (kind, *_), runs in KINDS.items() if kind == form) for form in (RUN, QUICK)}
        rows, words, every = [], {}, []
        for form, count in wanted.items():
            together = []
            for (kind, program, beside), runs in KINDS.items():
                if kind == form:
                    own = done.of(SECTION, _name(form, program, beside))
                    together += own
                    rows.append([form, ANSWERS[program], str(beside), *_cells(own, runs)])
            rows.append([form, "together", "", *_cells(together, count)])
            words[form] = verdict(form, together, count)
            every += together
        after = "Holds: " + "; ".join(f"{form}: {word}" for form, word in words.items()) + "."
        if every:
            names = ("comparisons", "excludes", "directional")
            other = [int(sum(figures[f"other_{name}"] for figures in every)) for name in names]
            after += (
                f"\nThe longest run took {max(figures['seconds'] for figures in every):.1f} s with starting and"
                " reporting."
            )
            if other[0]:
                after += (
                    f" Of {other[0]} other comparisons (hops apart, the open loop) {other[1]} excluded 1, and"
                    f" {other[2]} were directional."
                )
        return [Part(_prose(wanted), COLUMNS, rows, list(words.values()), [after])]

    def adds(self, done: Sorted) -> str:
        """How wide the intervals are that hold 1."""
        runs = [figures for kind in KINDS if kind[0] == RUN for figures in done.of(SECTION, _name(*kind))]
        width = _width(runs, SPEEDS[0])
        return f"In {TIME_S:g} s the intervals of throughput are ±{width} wide at the median." if width else ""


def _prose(wanted: dict[str, int]) -> list[str]:
    return [
        f"Experiments of {TIME_S:g} s, one core for the stack, without the open loop, whose arms are all the same"
        " server: the baseline, one or two arms beside it, and the baseline's second run that every experiment has."
        " Counted are the comparisons of the arms beside with the baseline, throughput and CPU per request; the"
        " baseline's second run counts only where it takes the verdicts away. *Directional*: verdicts of faster,"
        " slower, cheaper or dearer that are not called negligible. *Without 1*: experiments in which at least one"
        " interval of that figure excludes 1.",
        f"*run*: `hopcost run SUITE --time {TIME_S:g}`, whose error is 5 % in all, looks included; at most"
        f" {DIRECTIONAL_MOST} directional in all {wanted[RUN]}, at most"
        f" {EXCLUDES_MOST * 100:g} % of them without 1."
        " *quick*: with `--quick`, one look, where a figure's intervals are meant to err together in 5 of 100; at most"
        f" {EXCLUDES_MOST * 100:g} % without 1. Of both at least {JUDGED_LEAST * 100:g} % must have verdicts at all.",
    ]


def _cells(runs: list[Figures], wanted: int) -> list[str]:
    directional_of = [int(sum(figures[f"{name}_directional"] for figures in runs)) for name in SPEEDS]
    excluding = [sum(has_excluded(figures, name) for figures in runs) for name in SPEEDS]
    unsettled = int(sum(figures[f"{name}_unsettled"] for figures in runs for name in SPEEDS))
    of = int(sum(figures[f"{name}_comparisons"] for figures in runs for name in SPEEDS))
    return [
        f"{len(runs)} of {wanted}",
        *map(str, directional_of),
        *map(str, excluding),
        str(sum(has_excluded(figures, *SPEEDS) for figures in runs)),
        f"{unsettled} of {of}",
        str(int(sum(figures["silent"] for figures in runs))),
        *([f"{median(runs, 'blocks'):g}", *(_width(runs, name) for name in SPEEDS)] if runs else [""] * 3),
    ]


def _width(runs: list[Figures], name: str) -> str:
    """The median half-width of a figure's intervals."""
    known = [figures for figures in runs if figures[f"{name}_width"] >= 0]
    return f"{median(known, f'{name}_width') * 100:.1f} %" if known else ""
