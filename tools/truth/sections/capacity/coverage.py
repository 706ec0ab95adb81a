"""How often the ranges of `hopcost capacity` hold the truth, in whole searches that are simulated. A section."""

from __future__ import annotations

from functools import partial

import msgspec
import numpy as np

from hopcost.statistics.intervals import Interval
from tools.truth.form import Form, Runs
from tools.truth.lines import Case, Figures, Reckoned, Sorted
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.sections.capacity.searches import simulate
from tools.truth.sections.capacity.servers import SERVERS, Known, known
from tools.truth.sections.coverage.judge import probability_of_so_few, too_low

SECTION = "capacity-coverage"
BATCH = 20  # searches of a kept line
RUNS = Runs(full=5, short=1)
P99S, SHORT_P99S = (5, 20, 50), (20,)  # in service times
SPREADS = (0.0, 0.03)
TIMES_S, SHORT_TIMES_S = (120.0, 240.0), (120.0,)
COVERED_LEAST, NEAR_LEAST = 0.92, 0.85
NEAR = 0.05
SEARCH_S = 0.4
COLUMNS = [
    "server",
    "p99 below",
    "starts differ by",
    "time",
    "searches:",
    "in the range:",
    "within 5 %:",
    "± of a range:",
    "no range:",
    "holds",
]


class Setting(msgspec.Struct, frozen=True):
    """A server by its name, its p99 in service times, how unlike its starts are, and the time of a search."""

    server: str
    services: int
    spread: float
    time_s: float

    @property
    def name(self) -> str:
        """Of the case."""
        return f"{self.server}, p99 {self.services}, spread {self.spread:g}, {self.time_s:g} s"

    @property
    def known(self) -> Known:
        """What is simulated."""
        return known(self.server, self.services, self.spread)


def settings_of(form: Form) -> list[Setting]:
    """The grid, or a corner of it."""
    is_short = form == Form.SHORT
    return [
        Setting(server, services, spread, time_s)
        for server in SERVERS
        for services in (SHORT_P99S if is_short else P99S)
        for spread in SPREADS
        for time_s in (SHORT_TIMES_S if is_short else TIMES_S)
    ]


def run(setting: Setting, number: int, searches: int = BATCH) -> Figures:
    """A batch of searches; the seed is the number of the search."""
    first = number * BATCH
    ranges = [simulate(setting.known, setting.time_s, first + place) for place in range(searches)]
    return counted(ranges, setting.known.per_s)


def counted(ranges: list[Interval | None], truth_per_s: float) -> Figures:
    """How many there are, have a range, hold the truth, and lie near it; the median half-width, 0 without a range."""
    measured = [per_s for per_s in ranges if per_s is not None]
    bounded = [(per_s.low, per_s.high) for per_s in measured if per_s.low is not None and per_s.high is not None]
    widths = [per_s.half_width for per_s in measured if per_s.half_width is not None]
    return {
        "searches": len(ranges),
        "ranges": len(bounded),
        "covers": sum(low <= truth_per_s <= high for low, high in bounded),
        "near": sum(abs(per_s.value / truth_per_s - 1) <= NEAR for per_s in measured),
        "half_width": round(float(np.median(widths)), 5) if widths else 0.0,
    }


def verdicts(by_setting: dict[Setting, list[Figures]], wanted: int) -> dict[Setting, str]:
    """No if significantly few ranges hold the truth, or few searches come near it (one-sided, Holm over all)."""
    settings = list(by_setting)
    sums = {setting: _sums(batches) for setting, batches in by_setting.items()}
    low: set[Setting] = set()
    for counted_as, of_all, least in (("covers", "ranges", COVERED_LEAST), ("near", "searches", NEAR_LEAST)):
        chances = [probability_of_so_few(sums[key][counted_as], max(1.0, sums[key][of_all]), least) for key in settings]
        low |= {settings[place] for place in too_low(chances)}
    return {
        setting: unfinished(len(batches), wanted) if len(batches) < wanted else "no" if setting in low else "yes"
        for setting, batches in by_setting.items()
    }


class CapacityCoverage(Section):
    """Ranges of capacities, on simulated servers."""

    key = SECTION
    heading = "# The range of a capacity, in simulated searches"
    asks = "The range of a capacity holds the truth as often as it says, in simulated searches"
    tells = ("in the range", "within 5 %")
    short_s = 70.0

    def cases(self) -> list[Case]:
        """One of each setting."""
        wanted = RUNS.of(self.form)
        return [
            Reckoned(
                SECTION, setting.name, partial(run, setting), wanted, {"searches": BATCH}, seconds=BATCH * SEARCH_S
            )
            for setting in settings_of(self.form)
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each setting."""
        wanted = RUNS.of(self.form)
        by_setting = {setting: done.of(SECTION, setting.name) for setting in settings_of(self.form)}
        words = verdicts(by_setting, wanted)
        rows = [[*_cells(setting, batches), words[setting]] for setting, batches in by_setting.items()]
        return [Part([_prose(wanted)], COLUMNS, rows, list(words.values()))]


def _sums(batches: list[Figures]) -> Figures:
    return {name: sum(batch[name] for batch in batches) for name in ("searches", "ranges", "covers", "near")}


def _prose(wanted: int) -> str:
    return (
        "Whole searches with hopcost's own rates, lengths of probes and statistics, on servers that are arithmetic: one"
        " queue before one server or two with a constant service time, and a server that pauses for 50 ms each second."
        f" {wanted * BATCH} searches of each row. Significantly fewer than {100 * COVERED_LEAST:g} % of the ranges that"
        f" hold the truth are a *no*, and so are fewer than {100 * NEAR_LEAST:g} % of the searches within"
        f" {100 * NEAR:g} % (one-sided, Holm over all rows)."
    )


def _cells(setting: Setting, batches: list[Figures]) -> list[str]:
    sums = _sums(batches)
    limit = f"{setting.known.p99_s * 1e3:g} ms"
    cells = [setting.server, limit, f"{100 * setting.spread:g} %", f"{setting.time_s:g} s", f"{sums['searches']:g}"]
    if not batches:
        return [*cells, "", "", "", ""]
    width = float(np.median([batch["half_width"] for batch in batches]))
    return [
        *cells,
        f"{100 * sums['covers'] / max(1.0, sums['ranges']):.0f} %",
        f"{100 * sums['near'] / sums['searches']:.0f} %",
        f"{100 * width:.1f} %",
        f"{sums['searches'] - sums['ranges']:g}",
    ]
