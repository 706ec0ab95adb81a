"""`python -m tools.otava`: simulated histories, and what hopcost and Apache Otava find in them.

Otava is installed by uv, in an environment that is none of the project's. The histories are those of `make truth`
(section change-points): with a step of 5 %, looked at once, at the end, and without one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from hopcost.errors import CannotMeasure, HopcostError, MeasurementFailed
from tools.markdown import table
from tools.truth.sections.changes.histories import Floats, changes_in, level, stepped
from tools.truth.sections.changes.section import LONG, PER, SETTINGS, Setting

OTAVA = "apache-otava==0.8.0"
SET_UP = Path(__file__).parents[2] / ".tools" / "bin"  # where `make setup` puts uv if there is none
INSIDE = Path(__file__).with_name("inside.py")
WINDOW, ERROR = 50, 0.001  # Otava's own defaults
WITHOUT = 20  # histories without a step for each spread
LONGEST_S = 1800
COLUMNS = ["records scatter by", "within records:", "", "found:", "by both:", "by it alone:", "false in 200:"]


class Tally(msgspec.Struct):
    """Of one tool on one setting: which steps it found, and how many changes where there is none."""

    found: list[bool]
    false: int


def count(changes: Sequence[Sequence[int]], steps: Sequence[int | None], near: int) -> Tally:
    """By history: the first records after each change, and where the step is (None: nowhere), give or take `near`."""
    with_step = [(found, step) for found, step in zip(changes, steps, strict=True) if step is not None]
    without = [found for found, step in zip(changes, steps, strict=True) if step is None]
    has_found = [any(abs(index - step) <= near for index in found) for found, step in with_step]
    return Tally(has_found, sum(map(len, without)))


def rows(setting: Setting, ours: Tally, theirs: Tally) -> list[list[str]]:
    """A row for each tool."""
    both = sum(a and b for a, b in zip(ours.found, theirs.found, strict=True))
    return [
        [
            f"{100 * setting.spread:g} %",
            str(setting.within),
            name,
            f"{sum(tally.found)} of {len(tally.found)}",
            str(both),
            str(sum(tally.found) - both),
            f"{PER * tally.false / (WITHOUT * LONG):.2f}",
        ]
        for name, tally in (("hopcost", ours), ("Otava", theirs))
    ]


def simulate(setting: Setting, histories: int) -> tuple[list[Floats], list[int | None]]:
    """With a step and without one; seeded."""
    dice = np.random.default_rng([round(1000 * setting.spread), setting.within, histories])
    with_step = [stepped(dice, setting.spread, setting.within) for _ in range(histories)]
    without = [level(dice, setting.spread, LONG) for _ in range(WITHOUT)]
    return [*(one.logs for one in with_step), *without], [*(one.index for one in with_step), *([None] * WITHOUT)]


def ask_otava(histories: Sequence[Floats]) -> list[list[int]]:
    """CannotMeasure without uv, or if it cannot install Otava; MeasurementFailed if Otava fails."""
    uv = shutil.which("uv") or shutil.which("uv", path=SET_UP)
    if uv is None:
        raise CannotMeasure("uv is not installed", "make setup installs it")
    asked = {"histories": [np.exp(logs).tolist() for logs in histories], "window": WINDOW, "error": ERROR}
    command = [uv, "run", "--quiet", "--isolated", "--no-project", "--with", OTAVA, "python", str(INSIDE)]
    words = json.dumps(asked)
    ran = subprocess.run(command, input=words, capture_output=True, text=True, check=False, timeout=LONGEST_S)
    if ran.returncode != 0:
        raise MeasurementFailed(f"Otava ended with {ran.returncode}: {ran.stderr[-2000:].strip()}")
    return msgspec.json.decode(ran.stdout, type=list[list[int]])


def main() -> None:
    """Simulate, ask both, print a table."""
    parser = argparse.ArgumentParser(description="Change points of hopcost beside those of Apache Otava.")
    parser.add_argument("--histories", type=int, default=100, help="with a step, for each spread (100)")
    options = parser.parse_args()
    printed: list[list[str]] = []
    for setting in SETTINGS:
        histories, steps = simulate(setting, options.histories)
        ours = [[change.index for change in changes_in(logs)] for logs in histories]
        try:
            theirs = ask_otava(histories)
        except HopcostError as error:
            sys.exit(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
        tallies = (count(found, steps, setting.within) for found in (ours, theirs))
        printed += rows(setting, *tallies)
    print(table(COLUMNS, printed))


if __name__ == "__main__":
    main()
