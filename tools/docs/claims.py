"""Puts what `hopcost claims` says of the given records into docs/results/claims.md: the table, and the rest folded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hopcost.suites import read
from tools import markdown

PAGE = Path(__file__).parents[2] / "docs" / "results" / "claims.md"


def main() -> None:
    """`python -m tools.docs.claims RECORD...`; the claims are those of the suites as they are now."""
    hopcost = Path(sys.executable).with_name("hopcost")
    options = [word for name in read.shipped_suites() if read.read_suite(name).claims for word in ("--suite", name)]
    command = [str(hopcost), "claims", *sys.argv[1:], *options, "--format", "markdown"]
    judged = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(markdown.replace_part(page, "claims", folded(judged)), encoding="utf-8")


def folded(judged: str) -> str:
    """The table of all claims as it is, each claim with its comparisons below it in a fold."""
    listed, heading, claims = judged.partition("\n### ")
    rest = markdown.fold("Each claim with its comparisons", f"{heading.lstrip()}{claims}") if heading else ""
    return markdown.fill(f"{listed.strip()}\n\n{rest}")


if __name__ == "__main__":
    main()
