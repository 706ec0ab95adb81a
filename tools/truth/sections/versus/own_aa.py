"""`hopcost vs` of a server beside itself: it must not find a difference. A section of the truth's page."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.report.formats.json_schema import ReportedExperiment
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.runs import SPEEDS, VERDICTS_STEAL_MOST, closed_loop, compared_arms, has_direction, width_to_keep
from tools.truth.sections.versus.servers import go_server, run_versus

SECTION = "own-aa"
CASE = "go beside itself"
RUNS = Runs(full=40, short=1)
TIME_S, RUN_S = 60.0, 70.0  # with less there are fewer than four batches, and ranges of ±10 % and more
DIRECTIONS_MOST = 0.1  # of the runs: 4 of 40
COLUMNS = ["figure", "done:", "with a range:", "with a direction:", "batches:", "±, median:", "holds"]


def run(number: int) -> Figures:
    """One comparison of a server with itself."""
    with go_server() as server:
        experiment, seconds = run_versus([server, server], TIME_S, "--seed", number)
    return {**counted(experiment), "seconds": round(seconds, 2), "blocks": experiment.blocks}


def counted(experiment: ReportedExperiment) -> Figures:
    """Of each figure: whether there is a range, whether it has a direction, and its half-width (-1: no range)."""
    figures: Figures = {}
    (arm,) = compared_arms(experiment)
    for name in SPEEDS:
        comparison = closed_loop(arm, name)
        width = width_to_keep(None if comparison is None else comparison.ratio)
        figures[f"{name}_range"] = float(width >= 0)
        figures[f"{name}_direction"] = float(comparison is not None and has_direction(comparison))
        figures[f"{name}_width"] = width
    return figures


def verdict(name: str, wanted: int, runs: list[Figures]) -> str:
    """No as soon as there are too many directions; runs without a range prove nothing."""
    most = round(DIRECTIONS_MOST * wanted, 6)
    if sum(figures[f"{name}_direction"] for figures in runs) > most:
        return "no"
    if len(runs) < wanted:
        return unfinished(len(runs), wanted)
    without = sum(not figures[f"{name}_range"] for figures in runs)
    return f"no: {without} runs had no range" if without > most else "yes"


class OwnAa(Section):
    """Forty short comparisons of one server with itself."""

    key = SECTION
    heading = "# A running server beside itself"
    asks = "`hopcost vs` of a server and itself finds no difference"
    tells = ("with a direction", "done")
    short_s = None

    def cases(self) -> list[Case]:
        """One."""
        settings: dict[str, object] = {"seconds": TIME_S, "method": METHOD.number}
        return [Case(SECTION, CASE, run, RUNS.of(self.form), settings, VERDICTS_STEAL_MOST, seconds=RUN_S)]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each figure."""
        wanted, runs = RUNS.of(self.form), done.of(SECTION, CASE)
        words = {name: verdict(name, wanted, runs) for name in SPEEDS}
        rows = [_cells(name, wanted, runs, word) for name, word in words.items()]
        return [Part([_prose(wanted)], COLUMNS, rows, [*words.values()])]


def _prose(wanted: int) -> str:
    return (
        f"`hopcost vs URL URL` with the same URL twice, a plain Go server on the first core, {TIME_S:g} s. It may call"
        f" the one faster, slower, cheaper or dearer than the other in at most {DIRECTIONS_MOST * wanted:g} of {wanted}"
        " runs, for throughput and for CPU time per request."
    )


def _cells(name: str, wanted: int, runs: list[Figures], word: str) -> list[str]:
    with_range = [figures for figures in runs if figures[f"{name}_range"]]
    return [
        name.replace("_", " ").replace("cpu", "CPU"),
        f"{len(runs)} of {wanted}",
        str(len(with_range)),
        f"{sum(figures[f'{name}_direction'] for figures in runs):.0f}",
        f"{median(runs, 'blocks'):g}" if runs else "",
        f"{100 * median(with_range, f'{name}_width'):.1f} %" if with_range else "",
        word,
    ]
