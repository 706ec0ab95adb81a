"""`make truth`: whether the method and the load engine tell the truth. Measures what is missing, writes docs/truth.md.

Results are kept line by line in records/truth; a call that was ended goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
import time

import truth_engine
import truth_lines
import truth_slices

from hopcost import machine
from hopcost.errors import HopcostError

PAGE = truth_lines.ROOT / "docs" / "truth.md"
PARTS = ("engine", "slices")


def main() -> None:
    """Measure and write; exit code 1 when a line does not hold."""
    parser = argparse.ArgumentParser(description="Measures what is missing of the truth; writes docs/truth.md.")
    parser.add_argument("--at-most-s", type=float, default=float("inf"), help="begin no run after so many seconds")
    parser.add_argument("--only", choices=PARTS, help="measure this part alone")
    parser.add_argument("--repeats", type=int, default=8, help="of slices beside plain runs")
    parser.add_argument("--seconds", type=float, default=1.5, help="of a plain run of one arm")
    options = parser.parse_args()
    began = time.monotonic()
    try:
        if options.only in (None, "engine"):
            truth_engine.measure(options.at_most_s)
        if options.only in (None, "slices"):
            truth_slices.measure(options.repeats, options.seconds, options.at_most_s - (time.monotonic() - began))
    except HopcostError as error:
        sys.exit(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
    text, holds = page(options.repeats, options.seconds)
    PAGE.write_text(text, encoding="utf-8")
    print(text, end="")
    sys.exit(0 if holds else 1)


def page(repeats: int, seconds: float) -> tuple[str, bool]:
    """The page, and whether every line on it holds."""
    parts = (truth_engine.lines(), truth_slices.lines(repeats, seconds))
    lines = [
        "# Whether the method tells the truth",
        "",
        f"Written by `make truth`; {machine.cpu_model()}, {len(machine.allowed_cores())} cores,"
        f" Linux {truth_lines.this_machine().kernel}.",
        "",
    ]
    for part, _ in parts:
        lines += [f"#{line}" if line.startswith("#") else line for line in part]
    return "\n".join(lines).rstrip() + "\n", all(holds for _, holds in parts)


if __name__ == "__main__":
    main()
