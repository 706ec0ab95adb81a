"""Arms that are the same proxy: nginx before Go, two workers. A section of the truth's page.

Workers make luck that one process does not have: which worker got which connection. It changes from start to start, so
that an interval that takes starts for alike is wrong here first.
"""

from __future__ import annotations

from functools import partial

import msgspec

from hopcost.plan.method import METHOD
from tools.truth.form import SHORT_S, Form
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.plans import hop, suite_text
from tools.truth.runs import SPEEDS, VERDICTS_STEAL_MOST, read_nothing, run_suite
from tools.truth.sections.same.alarms import RESOLVED_WIDTH, counted, has_excluded

SECTION = "aa"
ARMS_BESIDE = (1, 2)
REPORT_S = 6.0  # starting and reporting
COLUMNS = ["seconds:", "arms beside:", "done:", "without 1: throughput:", "CPU:", "with a direction:", "resolved:"]
COLUMNS += ["runs without verdicts:", "starts:", "± throughput:", "± CPU:"]


class Length(msgspec.Struct, frozen=True):
    """Runs of one length, how many for each number of arms, and what they must hold."""

    seconds: float
    runs: int  # for each number of arms beside the baseline
    resolved_least: float  # of the comparisons


LENGTHS = (Length(seconds=20.0, runs=50, resolved_least=0.0), Length(seconds=120.0, runs=15, resolved_least=0.6))
# Of a figure's experiments. Throughput and CPU have their errors apart, so that both together have nearly twice it.
WITHOUT_ONE_MOST, DIRECTIONS_MOST = 0.06, 0.09
SILENT_MOST = 0.1  # without verdicts there is no direction


def name_of(length: Length, beside: int) -> str:
    """Of a case."""
    return f"{length.seconds:g} s, {beside} beside"


def suite(beside: int) -> str:
    """A baseline, and arms that are the same; the stack has all cores, nginx two workers."""
    chain = [hop("nginx", settings="{ worker_processes = 2 }"), hop("go-hello")]
    names = ["base", *(f"same-{number + 1}" for number in range(beside))]
    return suite_text(SECTION, dict.fromkeys(names, chain), placement="all-cores")


def run(length: Length, beside: int, number: int) -> Figures:
    """One experiment: what it says of arms that do not differ."""
    experiment, seconds, _ = run_suite(suite(beside), length.seconds, read_nothing, "--seed", number)
    return {**counted(experiment), "seconds": round(seconds, 2), "blocks": experiment.blocks}


def has_direction(figures: Figures) -> bool:
    """Whether an arm is called faster, slower, cheaper or dearer, by however little."""
    return any(figures[f"{name}_directions"] > 0 for name in SPEEDS)


def resolved_share(runs: list[Figures]) -> float:
    """Comparisons with a direction, `same`, or an interval within ±5 %, of all."""
    compared = sum(figures[f"{name}_present"] for figures in runs for name in SPEEDS)
    return sum(figures[f"{name}_resolved"] for figures in runs for name in SPEEDS) / compared if compared else 0.0


def verdict(length: Length, runs: list[Figures], wanted: int) -> str:
    """No as soon as there are too many; yes when all are done."""
    for name in SPEEDS:
        if sum(has_excluded(figures, name) for figures in runs) > WITHOUT_ONE_MOST * wanted:
            return "no"
    if sum(map(has_direction, runs)) > DIRECTIONS_MOST * wanted:
        return "no"
    if len(runs) < wanted:
        return unfinished(len(runs), wanted)
    silent = int(sum(figures["silent"] for figures in runs))
    if silent > SILENT_MOST * wanted:
        return f"no: {silent} runs had no verdicts"
    resolved = resolved_share(runs)
    if resolved >= length.resolved_least:
        return "yes"
    return f"no: {resolved:.0%} of the comparisons are resolved, {length.resolved_least:.0%} should be"


class SameProxies(Section):
    """A hundred short experiments, and thirty long ones. The short form has the hundred, over as many calls as needed.

    It takes all the time that the others leave.
    """

    key = SECTION
    heading = "# The same proxy, side by side"
    asks = "Two proxies that are the same are called the same"
    short_s = SHORT_S

    def lengths(self) -> tuple[Length, ...]:
        """Of this form."""
        return LENGTHS[:1] if self.form == Form.SHORT else LENGTHS

    def cases(self) -> list[Case]:
        """Runs of each length, with one and with two arms beside the baseline."""
        return [
            Case(
                SECTION,
                name_of(length, beside),
                partial(run, length, beside),
                length.runs,
                {"seconds": length.seconds, "suite": suite(beside), "method": METHOD.number},
                VERDICTS_STEAL_MOST,
                seconds=length.seconds + REPORT_S,
            )
            for length in self.lengths()
            for beside in ARMS_BESIDE
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each length and number of arms, and one for both together, which is judged."""
        rows, words = [], {}
        for length in self.lengths():
            together = []
            for beside in ARMS_BESIDE:
                runs = done.of(SECTION, name_of(length, beside))
                together += runs
                rows.append([f"{length.seconds:g}", str(beside), *_cells(runs, length.runs)])
            wanted = length.runs * len(ARMS_BESIDE)
            rows.append([f"{length.seconds:g}", "together", *_cells(together, wanted)])
            words[f"{length.seconds:g} s"] = verdict(length, together, wanted)
        after = "Holds: " + "; ".join(f"{length}: {word}" for length, word in words.items()) + "."
        return [Part(_prose(), COLUMNS, rows, list(words.values()), [after])]


def _prose() -> list[str]:
    long = LENGTHS[-1]
    return [
        "All arms are nginx with two workers before Go, over TCP; the stack has all cores. Beside the baseline stand"
        " one or two arms, and the baseline's second run.",
        f"*Without 1*: experiments in which an interval of that figure excludes 1, at most {WITHOUT_ONE_MOST:.0%}."
        " *With a direction*: experiments that call an arm faster, slower, cheaper or dearer, by however little, at"
        f" most {DIRECTIONS_MOST:.0%}. *Resolved*: comparisons with a direction, the word `same`, or an interval within"
        f" ±{RESOLVED_WIDTH:.0%}; at least {long.resolved_least:.0%} in {long.seconds:g} s. At most {SILENT_MOST:.0%}"
        " of the runs may have no verdicts.",
    ]


def _cells(runs: list[Figures], wanted: int) -> list[str]:
    cells = [f"{len(runs)} of {wanted}"]
    if not runs:
        return [*cells, *[""] * (len(COLUMNS) - 3)]
    return [
        *cells,
        *(str(sum(has_excluded(figures, name) for figures in runs)) for name in SPEEDS),
        str(sum(map(has_direction, runs))),
        f"{resolved_share(runs):.0%}",
        str(int(sum(figures["silent"] for figures in runs))),
        f"{median(runs, 'blocks'):g}",
        *(_width(runs, name) for name in SPEEDS),
    ]


def _width(runs: list[Figures], name: str) -> str:
    """The median of the widest half-width of each experiment."""
    known = [figures for figures in runs if figures[f"{name}_width"] >= 0]
    return f"{median(known, f'{name}_width') * 100:.1f} %" if known else ""
