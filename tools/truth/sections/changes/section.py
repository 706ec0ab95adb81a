"""How soon steps in simulated histories are found, and how often one is seen that is none. A section."""

from __future__ import annotations

from functools import partial

import msgspec
import numpy as np

from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Reckoned, Sorted
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.sections.changes.histories import (
    BEFORE,
    STEP,
    changes_in,
    learned,
    level,
    look_for,
    stepped,
    told_in_passing,
)

SECTION = "change-points"
RUNS = Runs(full=5, short=1)
HISTORIES = 200  # with a step, of a kept line
FOUND_LEAST, FALSE_MOST = 0.9, 1.0  # of the histories; in PER records without a change
PER = 200
LONG, LONG_HISTORIES = 200, 60  # records of a history without a change, and how many such histories
SHORT, SHORT_HISTORIES = 20, 600
WATCHED = 6  # of the long ones are looked at after each record
BATCH_S = 30.0
COLUMNS = [
    "records scatter by",
    "within records:",
    "histories:",
    "found:",
    "still there:",
    "its range holds:",
    "false in 200:",
    "false in 200, short:",
    "told in passing:",
    "spread learned:",
    "holds",
]


class Setting(msgspec.Struct, frozen=True):
    """By how much records of one level scatter, and within how many records a step must be found."""

    spread: float
    within: int

    @property
    def name(self) -> str:
        """Of the case."""
        return f"spread {self.spread:g}, {self.within} records"


SETTINGS = (Setting(0.02, 3), Setting(0.03, 6), Setting(0.04, 11))


def run(setting: Setting, number: int, share: float = 1.0) -> Figures:
    """A batch of histories, or a share of one; the seed is the batch's number and the setting."""
    dice = np.random.default_rng([number, round(1000 * setting.spread), setting.within])
    steps = [look_for(stepped(dice, setting.spread, setting.within)) for _ in range(round(share * HISTORIES))]
    long = [level(dice, setting.spread, LONG) for _ in range(round(share * LONG_HISTORIES))]
    short = [level(dice, setting.spread, SHORT) for _ in range(round(share * SHORT_HISTORIES))]
    watched = long[: max(1, round(share * WATCHED))]
    return {
        "histories": len(steps),
        "found": sum(step.seen for step in steps),
        "stands": sum(step.stands for step in steps),
        "covers": sum(step.covers for step in steps),
        "false": sum(len(changes_in(logs)) for logs in long),
        "records": LONG * len(long),
        "false_short": sum(len(changes_in(logs)) for logs in short),
        "records_short": SHORT * len(short),
        "told": sum(map(told_in_passing, watched)),
        "records_told": LONG * len(watched),
        "learned": round(float(np.median([learned(logs) for logs in long])), 5),
    }


class ChangePoints(Section):
    """Steps that are found in time, and changes where there is none."""

    key = SECTION
    heading = "# Changes in a history, simulated"
    asks = "A step in a history is found within a few records, and seldom one is seen that is none"
    tells = ("found", "false in 200")
    short_s = None

    def cases(self) -> list[Case]:
        """One of each spread."""
        wanted = RUNS.of(self.form)
        settings: dict[str, object] = {"histories": HISTORIES, "step": STEP, "before": list(BEFORE)}
        return [
            Reckoned(SECTION, setting.name, partial(run, setting), wanted, settings, seconds=BATCH_S)
            for setting in SETTINGS
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each spread."""
        wanted = RUNS.of(self.form)
        rows, words = [], []
        for setting in SETTINGS:
            batches = done.of(SECTION, setting.name)
            words.append(verdict(batches, wanted))
            rows.append([f"{100 * setting.spread:g} %", str(setting.within), *_cells(batches), words[-1]])
        return [Part([_prose(wanted)], COLUMNS, rows, words)]


def verdict(batches: list[Figures], wanted: int) -> str:
    """No if too few steps are found in time, or too many changes are seen where there is none."""
    if len(batches) < wanted:
        return unfinished(len(batches), wanted)
    sums = _sums(batches)
    is_found = sums["found"] >= FOUND_LEAST * sums["histories"]
    is_quiet = max(_false(sums, ""), _false(sums, "_short")) <= FALSE_MOST
    return "yes" if is_found and is_quiet else "no"


def _false(sums: Figures, kind: str) -> float:
    """Changes seen in so many records without one."""
    return PER * sums[f"false{kind}"] / max(1.0, sums[f"records{kind}"])


def _sums(batches: list[Figures]) -> Figures:
    return {name: sum(batch[name] for batch in batches) for name in batches[0]}


def _prose(wanted: int) -> str:
    return (
        f"Histories of {BEFORE[0]} to {BEFORE[1]} records, then a step of {100 * STEP:g} % up or down:"
        f" {wanted * HISTORIES:,} for each spread between records. Nothing but the log-ratios is known of them, and"
        f" somebody looks after each record. In {100 * FOUND_LEAST:g} % of the histories the step must be seen before"
        " more records are there after it than the row says, and at most as far from where it is; *still there* counts"
        f" those that the last of these looks shows. In histories of {LONG} records without a change at most"
        f" {FALSE_MOST:g} in {PER} records may be seen, and in histories of {SHORT} records too. *Told in passing*:"
        f" changes in {PER} records without one that somebody is told of who looks after each record; most go away with"
        " the next ones. Not judged."
    )


def _cells(batches: list[Figures]) -> list[str]:
    if not batches:
        return ["0", "", "", "", "", "", "", ""]
    sums = _sums(batches)
    return [
        f"{sums['histories']:,.0f}",
        f"{100 * sums['found'] / sums['histories']:.1f} %",
        f"{100 * sums['stands'] / sums['histories']:.1f} %",
        f"{100 * sums['covers'] / max(1.0, sums['stands']):.1f} %",
        f"{_false(sums, ''):.2f}",
        f"{_false(sums, '_short'):.2f}",
        f"{PER * sums['told'] / sums['records_told']:.2f}",
        f"{100 * sums['learned'] / len(batches):.1f} %",
    ]
