"""Puts what `hopcost claims` says of the given records into docs/claims.md."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hopcost.suites import read

PAGE = Path(__file__).parents[2] / "docs" / "claims.md"
BEGIN, END = "<!-- claims: begin -->\n", "<!-- claims: end -->"


def main() -> None:
    """`python -m tools.docs.claims RECORD...`; the claims are those of the suites as they are now."""
    hopcost = Path(sys.executable).with_name("hopcost")
    options = [word for name in read.shipped_suites() if read.read_suite(name).claims for word in ("--suite", name)]
    command = [str(hopcost), "claims", *sys.argv[1:], *options, "--format", "markdown"]
    section = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n{section}\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
