"""`make truth`: whether hopcost tells the truth. Measures what is missing, writes docs/truth.md.

Runs are kept line by line in docs/truth; a call that was ended goes on where it stopped.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable

import truth_alarms
import truth_attribution
import truth_engine
import truth_lines
import truth_precision
import truth_procedure
import truth_runs
import truth_sensitivity
import truth_slices
from truth_kept import Kept
from truth_lines import Sorted

from hopcost import machine
from hopcost.errors import HopcostError

PAGE = truth_lines.ROOT / "docs" / "truth.md"
# By name: its kept lines, and the page's lines out of them with whether they hold.
SECTIONS: dict[str, tuple[Kept, Callable[[Sorted], tuple[list[str], bool]]]] = {
    "engine": (truth_engine.KEPT, truth_engine.section),
    "attribution": (truth_attribution.KEPT, truth_attribution.section),
    "false-alarms": (truth_alarms.KEPT, truth_alarms.section),
    "sensitivity": (truth_sensitivity.KEPT, truth_sensitivity.section),
    "precision": (truth_precision.KEPT, truth_precision.section),
    "slices": (truth_slices.KEPT, truth_slices.section),
    "procedure": (truth_procedure.KEPT, truth_procedure.section),  # draws from what the others have recorded
}


def main() -> None:
    """Measure and write; exit code 1 when a line does not hold."""
    parser = argparse.ArgumentParser(description="Measures what is missing of the truth; writes docs/truth.md.")
    parser.add_argument("--at-most-s", type=float, default=float("inf"), help="begin no run after so many seconds")
    parser.add_argument("--only", choices=list(SECTIONS), help="measure this section alone")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as Ctrl-C: what was started is ended too
    began = time.monotonic()
    try:
        for name, (kept, _) in SECTIONS.items():
            if options.only in (None, name):
                kept.measure(options.at_most_s - (time.monotonic() - began))
    except HopcostError as error:
        sys.exit(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
    text, holds = page()
    PAGE.write_text(text, encoding="utf-8")
    print(text, end="")
    sys.exit(0 if holds else 1)


def page() -> tuple[str, bool]:
    """The page, and whether every line on it holds."""
    lines = [
        "# Whether hopcost tells the truth",
        "",
        f"Written by `make truth`; {machine.cpu_model()}, {len(machine.allowed_cores())} cores, Linux"
        f" {truth_lines.this_machine().kernel}. Every run is kept as a line in [truth](truth) with the engine, the"
        " machine and the settings that it was made with; lines of others are set aside. A run is set aside, and done"
        f" again, where programs of others took more than {truth_lines.FOREIGN_MOST * 100:g} % of the machine's CPU"
        f" time meanwhile, or the hypervisor says that it kept more than {truth_lines.STEAL_MOST * 100:g} % of a core"
        f" ({truth_runs.STEAL_MOST * 100:g} % where verdicts are on trial: hopcost's own limit for a block); never for"
        " what it said. Where the runs that are left could not change the answer, they are not made. `make truth` goes"
        " on where it stopped; `.venv/bin/python scripts/truth.py --only SECTION --at-most-s N` does a part.",
        "",
        "| section | runs done | all of it holds |",
        "| --- | ---: | --- |",
    ]
    bodies, everything = [], True
    for name, (kept, section) in SECTIONS.items():
        done = kept.done()
        body, holds = section(done)
        bodies += [f"#{line}" if line.startswith("#") else line for line in body]
        lines.append(truth_lines.row([name, *standing(len(done.used), kept.left(), holds)]))
        everything = everything and holds
    return "\n".join([*lines, "", *bodies]).rstrip() + "\n", everything


def standing(used: int, left: int, holds: bool) -> tuple[str, str]:
    """How many runs are done of those that are wanted, and in a word what has come of it.

    >>> standing(20, 0, True), standing(20, 0, False), standing(3, 17, False)
    (('20 of 20 done', 'yes'), ('20 of 20 done', 'no'), ('3 of 20 done', 'unfinished'))
    """
    return f"{used} of {used + left} done", "unfinished" if left else "yes" if holds else "no"


if __name__ == "__main__":
    main()
