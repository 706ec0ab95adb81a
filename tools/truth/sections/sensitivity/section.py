"""An origin that is dearer by a known amount of work must be seen as dearer. A section of the truth's page.

The amount is a number of rounds of arithmetic before each answer. What it costs is measured without hopcost's slices:
whole loads of a counted number of requests, the origins never frozen, their process CPU clocks read before and after.
Few rounds cost less each than many (80 of them 1.7 ns, 1000 of them 2.2), so that it is calibrated with about as many
as are needed; each run, which measures the same again, makes the calibration better. What a plain request costs changes
with the hour, and is measured before each run.
"""

from __future__ import annotations

import math
import statistics
from functools import partial

from hopcost.measure.protocols.spread import measure_spread
from hopcost.report.formats.json_schema import ReportedExperiment
from hopcost.statistics.intervals import Interval, mean
from hopcost.statistics.verdict import NO_VERDICT, NOT_SETTLED, SAME, Size
from tools.truth.form import Form, Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, bracketed, median, unfinished
from tools.truth.plans import hop, suite_text
from tools.truth.runs import VERDICTS_STEAL_MOST, arm_of, closed_loop, is_silent, read_nothing, run_suite, width_to_keep
from tools.truth.sections.sensitivity import work
from tools.truth.sections.sensitivity.work import CONNECTIONS, NEAR, REQUESTS, STARTS, calibrate, costs, rounds_for

SECTION = "sensitivity"
CALIBRATION = "calibration"
CALIBRATIONS, RUNS = Runs(full=10, short=1), Runs(full=20, short=3)
SEEN_LEAST = 0.9  # of the runs: 18 of 20
CALIBRATION_S, RUN_S = 120.0, 140.0  # of 60 s, with what is measured apart
STARTS_BEFORE, STARTS_AFTER = 10, 40  # of a plain request before a run; of both after it
LEAST_PRECISION = ("--precision", 0.05)
SHARES = {"2 %": 0.02, "5 %": 0.05}
QUIET_SPREAD = 0.12  # of pairs of slices, as `hopcost doctor --spread` has it
OFF_MOST = 0.005  # of the true cost from the share that was asked for
COLUMNS = ["dearer by", "done:", "request, µs:", "rounds:", "truly:", "that is as asked", "seen as dearer:"]
COLUMNS += ["negligible:", "ratio in these runs:", "±:", "spread of pairs:", "seconds:", "holds"]
PROSE = (
    "Two arms, the embedded origin and the same with a counted amount of arithmetic before each answer"
    f" (`--work-rounds`), one core for the stack, {CONNECTIONS} connections, closed loop, each run through"
    f" `hopcost run`. It must call the second *dearer* in CPU per request (closed loop) in {SEEN_LEAST:.0%} of the"
    " runs: of 60 s where it is 5 % dearer; where it is 2 %, of 120 s while the spread of pairs (`hopcost doctor"
    f" --spread`, before each run) is below {QUIET_SPREAD * 100:g} %, else of 240 s. *Negligible* stands where the"
    " whole interval is inside the margin; it is dearer all the same. 5 % must never be called the same. Each run uses"
    " all its time, however narrow its intervals.",
    "What the work costs is calibrated, and measured apart after each run: origins that are never frozen,"
    f" started anew for each turn of {REQUESTS:,} requests, their process CPU clocks read before and after."
    " What a plain request costs changes with the hour; it is measured before each run, and gives the"
    " rounds with what one costs by all that was measured apart until then. *Truly*: the mean over runs of"
    " CPU per request with the work ÷ without.",
)


def time_s(name: str, spread: float) -> float:
    """How long a run may take: more for the small difference, and more still where the machine is restless.

    >>> time_s("5 %", 0.5), time_s("2 %", 0.11), time_s("2 %", 0.12)
    (60.0, 120.0, 240.0)
    """
    if name == "5 %":
        return 60.0
    return 120.0 if spread < QUIET_SPREAD else 240.0


def round_ns(done: Sorted) -> float:
    """What a round costs by all that was measured apart so far."""
    runs = [run for name in SHARES for run in done.of(SECTION, name)]
    return work.round_ns(done.of(SECTION, CALIBRATION), runs)


def suite(work_rounds: int) -> str:
    """The origin, and the origin with work."""
    dearer = hop("origin", settings=f"{{ work_rounds = {work_rounds} }}")
    return suite_text("sensitivity", {"plain": [hop("origin")], "dearer": [dearer]})


def seen(experiment: ReportedExperiment) -> Figures:
    """What is said of CPU per request in the closed loop; the ratio is 0 if there is none."""
    comparison = closed_loop(arm_of(experiment, "dearer"), "cpu_per_request")
    ratio = comparison.ratio if comparison is not None else None
    return {
        "dearer": float(comparison is not None and comparison.verdict == "dearer"),
        "same": float(comparison is not None and comparison.verdict == SAME),
        "negligible": float(comparison is not None and comparison.size is Size.NEGLIGIBLE),
        "unsettled": float(comparison is None or comparison.verdict in (NOT_SETTLED, NO_VERDICT)),
        "ratio": ratio.value if ratio is not None else 0.0,
        "half_width": width_to_keep(ratio),
        "silent": float(is_silent(experiment)),
    }


def with_range(runs: list[Figures]) -> list[Figures]:
    """Those of what is `seen` that have a ratio."""
    return [run for run in runs if run["ratio"] > 0]


def has_failed(runs: list[Figures], wanted: int = RUNS.full) -> bool:
    """Whether so many have missed it that the bar is out of reach."""
    seen_least = math.ceil(SEEN_LEAST * wanted)
    return sum(not run["dearer"] for run in runs) > wanted - seen_least


def verdict(name: str, runs: list[Figures], wanted: int = RUNS.full) -> str:
    """No as soon as too many have missed it; of 5 %, as soon as one calls it the same."""
    if has_failed(runs, wanted):
        return "no"
    if name == "5 %" and any(run["same"] for run in runs):
        return "no: called the same"
    return "yes" if len(runs) >= wanted else unfinished(len(runs), wanted)


def truly(runs: list[Figures]) -> Interval | None:
    """How much dearer it was by the long loads after the runs, as a ratio: the mean over runs, 95 %."""
    return mean([run["truly"] for run in runs])


def is_as_asked(name: str, runs: list[Figures]) -> str:
    """Whether the work cost what it was to cost, within half a point."""
    interval = truly(runs)
    is_open = len(runs) < RUNS.full and not has_failed(runs)
    if is_open or interval is None or interval.low is None or interval.high is None:
        return unfinished(len(runs), RUNS.full)
    asked = 1 + SHARES[name]
    return "yes" if asked - OFF_MOST <= interval.low and interval.high <= asked + OFF_MOST else "not shown"


def _why_missed(name: str, runs: list[Figures]) -> str:
    """What limits: how wide the intervals are in which the difference was to be seen."""
    missed = [run for run in runs if not run["dearer"]]
    judged = sum(not run["silent"] for run in missed)
    widths = [run["half_width"] for run in missed if run["half_width"] > 0]
    width = f"±{statistics.median(widths) * 100:.1f} % at the median" if widths else "none"
    return (
        f"Why {name} is missed: of the {len(missed)} runs that did not see it {judged} gave verdicts; their interval is"
        f" {width}, where pairs of slices of one and the same server spread by {median(missed, 'spread') * 100:.0f} %"
        " on this machine: more blocks than the time holds would be needed."
    )


def _calibrated(done: Sorted, wanted: int) -> list[str]:
    calibrations = len(done.of(SECTION, CALIBRATION))
    if not calibrations:
        return []
    return [f"Calibration, {calibrations} of {wanted} done: a round costs {round_ns(done):.2f} ns."]


def _cells(name: str, runs: list[Figures]) -> list[str]:
    if not runs:
        return [""] * 10
    known = with_range(runs)
    return [
        f"{median(runs, 'before_ns') / 1e3:.2f}",
        f"{median(runs, 'rounds'):.0f}",
        bracketed(truly(runs), 4),
        is_as_asked(name, runs),
        str(int(sum(run["dearer"] for run in runs))),
        str(int(sum(run["negligible"] for run in runs))),
        *([f"{median(known, 'ratio'):.4f}", f"{median(known, 'half_width') * 100:.1f} %"] if known else ["", ""]),
        f"{median(runs, 'spread') * 100:.1f} %",
        f"{max(run['seconds'] for run in runs):.0f} at most",
    ]


class Sensitivity(Section):
    """Runs with an origin that is dearer by 2 % and by 5 %."""

    key = SECTION
    heading = "# A known difference is seen"
    asks = "A server that is 2 or 5 % dearer is called dearer"
    tells = ("seen as dearer", "done")
    short_s = CALIBRATIONS.short * CALIBRATION_S + RUNS.short * RUN_S

    def runs(self) -> int:
        """The calibrations, and the runs that wait for them."""
        return CALIBRATIONS.of(self.form) + RUNS.of(self.form) * len(self.shares())

    def shares(self) -> list[str]:
        """How much dearer; the short form has the large difference alone."""
        return ["5 %"] if self.form == Form.SHORT else list(SHARES)

    def cases(self) -> list[Case]:
        """Calibration first; the runs need what it says, and wait for it."""
        loads: dict[str, object] = {"connections": CONNECTIONS, "requests": REQUESTS}
        settings = {**loads, "starts": STARTS, "rounds": list(NEAR)}
        wanted = CALIBRATIONS.of(self.form)
        first = Case(SECTION, CALIBRATION, calibrate, wanted, settings, seconds=CALIBRATION_S)
        if len(self.kept.done_of([first]).used) < wanted:
            return [first]
        settings = {**loads, "starts": [STARTS_BEFORE, STARTS_AFTER], "precision": list(LEAST_PRECISION)}
        runs = RUNS.of(self.form)
        return [
            first,
            *(
                Case(
                    SECTION,
                    name,
                    partial(self._run, name),
                    runs,
                    settings,
                    VERDICTS_STEAL_MOST,
                    partial(has_failed, wanted=runs),
                    seconds=RUN_S + time_s(name, 1.0) - time_s("5 %", 1.0),
                )
                for name in self.shares()
            ),
        ]

    def _run(self, name: str, number: int) -> Figures:
        """One experiment through hopcost, in the time that the spread of pairs just before it allows."""
        spread = measure_spread().throughput
        allowed = time_s(name, spread)
        (before_ns,) = costs([0], STARTS_BEFORE, number)
        rounds = rounds_for(SHARES[name], before_ns, round_ns(self.kept.done()))
        keep = f"{SECTION}-{SHARES[name]:g}-{number}"
        options = (*LEAST_PRECISION, "--seed", number)
        experiment, seconds, _ = run_suite(suite(rounds), allowed, read_nothing, *options, keep=keep)
        plain_ns, dearer_ns = costs([0, rounds], STARTS_AFTER, number)
        figures = {"rounds": rounds, "before_ns": before_ns, "plain_ns": plain_ns, "truly": dearer_ns / plain_ns}
        return {**figures, "spread": spread, "time_s": allowed, "seconds": round(seconds, 2), **seen(experiment)}

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each amount of work."""
        rows, words, why = [], [], []
        wanted = RUNS.of(self.form)
        for name in self.shares():
            runs = done.of(SECTION, name)
            words.append(verdict(name, runs, wanted))
            if self.form == Form.FULL:  # a few runs cannot show it
                words.append(is_as_asked(name, runs))
            rows.append([name, f"{len(runs)} of {wanted}", *_cells(name, runs), verdict(name, runs, wanted)])
            why += [_why_missed(name, runs)] if has_failed(runs, wanted) else []
        prose = [*PROSE, *_calibrated(done, CALIBRATIONS.of(self.form))]
        if self.form == Form.SHORT:
            prose.append("The short form does not judge whether the work cost what was asked for.")
        return [Part(prose, COLUMNS, rows, words, why)]
