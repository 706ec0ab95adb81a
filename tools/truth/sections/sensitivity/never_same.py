"""An origin that is 5 % dearer, in a hundred runs: it is never called the same. A section of the truth's page."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, bracketed, median, unfinished
from tools.truth.runs import VERDICTS_STEAL_MOST, read_nothing, run_suite
from tools.truth.sections.sensitivity import work
from tools.truth.sections.sensitivity.section import CALIBRATION, LEAST_PRECISION, seen, suite, truly, with_range
from tools.truth.sections.sensitivity.work import CONNECTIONS, NEAR, REQUESTS, calibrate, costs, rounds_for

SECTION, CASE = "never-same", "5 %"
RUNS, TIME_S = 100, 30.0
SHARE = 0.05
STARTS = 5  # of a plain request before a run, and of both after it
CALIBRATION_S, RUN_S = 120.0, 45.0
COLUMNS = ["done:", "truly:", "same:", "negligible:", "dearer:", "not settled:", "ratio in these runs:", "±:", "holds"]
PROSE = (
    f"The two arms of the section before, the second {SHARE:.0%} dearer, in {RUNS} runs of {TIME_S:g} s through"
    " `hopcost run`. CPU per request (closed loop) may be *dearer* or *not settled*, and never *same* or *negligible*"
    f" (a difference inside the margin of {METHOD.min_margin:.0%}). *Truly*: the mean over runs of CPU per request with"
    f" the work ÷ without, measured apart after each run with {STARTS} starts of both."
)


class NeverSame(Section):
    """Short runs, and what they say; how many see the difference is the section before's."""

    key = SECTION
    heading = "# A known difference is never called the same"
    asks = "A server that is 5 % dearer is never called the same, in a hundred runs"
    tells = ("same", "negligible", "done")

    def runs(self) -> int:
        """The calibration, and the runs that wait for it."""
        return 1 + RUNS

    def cases(self) -> list[Case]:
        """Calibration first; the runs need what it says."""
        loads: dict[str, object] = {"connections": CONNECTIONS, "requests": REQUESTS}
        settings = {**loads, "starts": work.STARTS, "rounds": list(NEAR)}
        first = Case(SECTION, CALIBRATION, calibrate, 1, settings, seconds=CALIBRATION_S)
        if not self.kept.done_of([first]).used:
            return [first]
        settings = {**loads, "starts": STARTS, "time_s": TIME_S, "precision": list(LEAST_PRECISION)}
        return [first, Case(SECTION, CASE, self._run, RUNS, settings, VERDICTS_STEAL_MOST, seconds=RUN_S)]

    def _run(self, number: int) -> Figures:
        """One experiment through hopcost."""
        done = self.kept.done()
        (before_ns,) = costs([0], STARTS, number)
        round_ns = work.round_ns(done.of(SECTION, CALIBRATION), done.of(SECTION, CASE))
        rounds = rounds_for(SHARE, before_ns, round_ns)
        options = (*LEAST_PRECISION, "--seed", number)
        experiment, _, _ = run_suite(suite(rounds), TIME_S, read_nothing, *options, keep=f"{SECTION}-{number}")
        plain_ns, dearer_ns = costs([0, rounds], STARTS, number)
        return {"rounds": rounds, "plain_ns": plain_ns, "truly": dearer_ns / plain_ns, **seen(experiment)}

    def adds(self, done: Sorted) -> str:
        """How narrow the ranges are: a wide one could not say *same* of anything."""
        known = with_range(done.of(SECTION, CASE))
        if not known:
            return ""
        width, dearer = median(known, "half_width") * 100, sum(run["dearer"] for run in known)
        words = f"In {TIME_S:g} s the ranges are ±{width:.1f} % wide at the median"
        return f"{words}, and {dearer:.0f} runs called it *dearer*."

    def parts(self, done: Sorted) -> list[Part]:
        """One row."""
        runs = done.of(SECTION, CASE)
        same, negligible, dearer, unsettled = (
            int(sum(run[name] for run in runs)) for name in ("same", "negligible", "dearer", "unsettled")
        )
        known = with_range(runs)
        word = "yes" if len(runs) >= RUNS else unfinished(len(runs), RUNS)
        if len(known) < len(runs):  # what has no range could not be called the same
            word = f"undecided: {len(runs) - len(known)} without a range"
        word = "no" if same or negligible else word
        widths = [f"{median(known, 'ratio'):.4f}", f"{median(known, 'half_width') * 100:.1f} %"] if known else ["", ""]
        counts = [str(count) for count in (same, negligible, dearer, unsettled)]
        row = [f"{len(runs)} of {RUNS}", bracketed(truly(runs), 4) if runs else "", *counts, *widths, word]
        return [Part([PROSE], COLUMNS, [row], [word])]
