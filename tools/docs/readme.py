"""Puts the first table of a record's report into the README: what stands there is a real run's output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- output: begin -->\n", "<!-- output: end -->"
PROSE = "The article asked"
INTRODUCTION = (
    "A run of four minutes, `hopcost run nginx-go one-core --time 4m`. The demo's two tables come after three minutes"
    " and have wider ranges:"
)


def main() -> None:
    """`python -m tools.docs.readme [RECORD]`; the latest one when none is named."""
    hopcost = Path(sys.executable).with_name("hopcost")
    name = sys.argv[1] if len(sys.argv) > 1 else "latest"
    report = subprocess.run([hopcost, "report", name], check=True, capture_output=True, text=True).stdout
    head, _, rest = report.partition("\n\n")
    first_experiment = without_usage(rest.partition("\n\nall-cores:")[0])
    head = head.partition(f"\n{PROSE}")[0]
    text = README.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    shown = f"{INTRODUCTION}\n\n```text\n{head}\n\n{first_experiment}\n```\n\n"
    README.write_text(before + shown + after, encoding="utf-8")


def without_usage(shown: str) -> str:
    """Without the table of memory and ports: the README is short."""
    before, found, after = shown.partition("memory and closed connections\n")
    return before + "\n" + after[after.index("  verdicts: ") :] if found else shown


if __name__ == "__main__":
    main()
