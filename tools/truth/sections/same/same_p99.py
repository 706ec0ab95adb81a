"""Response times of proxies that are the same, at an equal offered load. A section of the truth's page.

What decides p99 is the machine's own stalls, which come in clusters. Simulated ones may be kinder than real ones.
"""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.report.formats.json_arm import ReportedComparison
from hopcost.report.formats.json_schema import ReportedExperiment
from tools.truth.form import SHORT_S
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.plans import hop, suite_text
from tools.truth.runs import VERDICTS_STEAL_MOST, compared_arms, excludes_one, half_width, read_nothing, run_suite

SECTION = "same-p99"
CASE = "nginx before go"
RUNS = 40
RUN_S, REPORT_S = 25.0, 6.0  # a run, and what starting and reporting take
QUANTILES = ("response_p50", "response_p99")
WITHOUT_ONE_MOST = 4  # of the runs, for p99
COLUMNS = ["figure", "done:", "with a range:", "without 1:", "starts:", "±, median:", "holds"]


def suite() -> str:
    """A baseline and one arm that is the same; all cores, two workers, an open loop."""
    chain = [hop("nginx", settings="{ worker_processes = 2 }"), hop("go-hello")]
    return suite_text(SECTION, {"base": chain, "same": chain}, placement="all-cores", open_loop=True)


def run(number: int) -> Figures:
    """One experiment: what it says of the response times of arms that do not differ."""
    experiment, seconds, _ = run_suite(suite(), RUN_S, read_nothing, "--quick", "--seed", number)
    return {**counted(experiment), "seconds": round(seconds, 2), "blocks": experiment.blocks}


def counted(experiment: ReportedExperiment) -> Figures:
    """Of each quantile: whether there is a range, whether it excludes 1, and its half-width (-1: no range)."""
    figures: Figures = {}
    for name in QUANTILES:
        comparisons = [
            comparison
            for arm in compared_arms(experiment)
            for comparison in arm.comparisons
            if comparison.figure == name and _has_range(comparison)
        ]
        figures[f"{name}_ranges"] = float(len(comparisons))
        figures[f"{name}_excludes"] = float(any(excludes_one(comparison.ratio) for comparison in comparisons))
        figures[f"{name}_width"] = max((half_width(comparison.ratio) for comparison in comparisons), default=-1.0)
    return figures


def _has_range(comparison: ReportedComparison) -> bool:
    return comparison.ratio is not None and comparison.ratio.low is not None


def verdict(name: str, runs: list[Figures]) -> str:
    """No as soon as there are too many without 1, yes when all are done and each had a range."""
    if sum(figures[f"{name}_excludes"] for figures in runs) > WITHOUT_ONE_MOST:
        return "no"
    if len(runs) < RUNS:
        return unfinished(len(runs), RUNS)
    without = sum(not figures[f"{name}_ranges"] for figures in runs)
    return f"no: {without} runs had no range" if without > WITHOUT_ONE_MOST else "yes"


class SameP99(Section):
    """Forty short experiments with an open loop, as many in the short form, over as many calls as needed."""

    key = SECTION
    heading = "# The same response times"
    asks = "Proxies that are the same have the same p50 and p99"
    short_s = SHORT_S

    def cases(self) -> list[Case]:
        """One."""
        settings = {"seconds": RUN_S, "suite": suite(), "method": METHOD.number}
        return [Case(SECTION, CASE, run, RUNS, settings, VERDICTS_STEAL_MOST, seconds=RUN_S + REPORT_S)]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each quantile."""
        runs = done.of(SECTION, CASE)
        words = {name: verdict(name, runs) for name in QUANTILES}
        return [Part(_prose(), COLUMNS, [_cells(name, runs, word) for name, word in words.items()], [*words.values()])]


def _prose() -> list[str]:
    return [
        "Two arms, both nginx with two workers before Go over TCP, and the baseline's second run; the stack has all"
        f" cores, quick runs of {RUN_S:g} s with an offered load. The range of the ratio of their response times may"
        f" exclude 1 in at most {WITHOUT_ONE_MOST} of {RUNS} runs.",
    ]


def _cells(name: str, runs: list[Figures], word: str) -> list[str]:
    with_range = [figures for figures in runs if figures[f"{name}_ranges"]]
    return [
        name.removeprefix("response_"),
        f"{len(runs)} of {RUNS}",
        str(len(with_range)),
        f"{sum(figures[f'{name}_excludes'] for figures in runs):.0f}",
        f"{median(runs, 'blocks'):g}" if runs else "",
        f"{100 * median(with_range, f'{name}_width'):.0f} %" if with_range else "",
        word,
    ]
