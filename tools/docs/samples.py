"""Writes what hopcost prints of a real record, docs/sample, into the pages that show it, and draws the terminal.

A page marks where: `<!-- sample: hopcost report docs/sample -->` … `<!-- end -->`. `--record RECORD` takes another
record first; `python -m tools.docs.samples` alone writes what the present version prints of the one that is there.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from hopcost.record import reader as records
from tools.docs import terminal

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RECORD = DOCS / "sample"
PICTURE = DOCS / "pictures" / "terminal.svg"
COMMAND = f"hopcost report {RECORD.relative_to(ROOT)}"
REGION = re.compile(r"(?s)(<!-- sample: (.+?) -->\n).*?(<!-- end -->)")


def main() -> None:
    """Write all samples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", help="a record's directory, its name in records/, or `latest`")
    wanted = parser.parse_args()
    if wanted.record is not None:
        found = records.find_record(wanted.record)
        shutil.rmtree(RECORD, ignore_errors=True)
        shutil.copytree(found, RECORD)
    for page in pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(rewritten(text), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")


def pages() -> list[Path]:
    """All pages that may show a sample."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def rewritten(page: str) -> str:
    """The page with every sample as the present version prints it."""
    return REGION.sub(lambda region: f"{region[1]}\n```text\n{printed(region[2]).rstrip()}\n```\n{region[3]}", page)


def picture() -> str:
    """The terminal after `hopcost report`, in colours."""
    return terminal.draw(printed(COMMAND, FORCE_COLOR="1", TERM="xterm-256color"), COMMAND)


def printed(command: str, **environment: str) -> str:
    """What a command of hopcost prints at 80 columns, started in the repository."""
    hopcost, *words = shlex.split(command)
    surroundings = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    surroundings |= {"COLUMNS": str(terminal.COLUMNS), "LINES": "200", "PYTHONUTF8": "1"} | environment
    path = Path(sys.executable).with_name(hopcost)
    return subprocess.run(
        [path, *words], check=True, capture_output=True, encoding="utf-8", env=surroundings, cwd=ROOT
    ).stdout


if __name__ == "__main__":
    main()
