"""`make results`: the suites' full forms, piece by piece, and docs/results/ out of their records.

What is interrupted is done again, what is done stays. `--next` runs one piece, for a machine that has other work
between them; `--render` writes the pages from what there is, and names what is missing.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hopcost.suites import read
from tools.docs.claims import parts
from tools.docs.results import hosts
from tools.docs.results.page import render
from tools.docs.results.pieces import (
    CLAIMS,
    EVERY,
    HOPCOST,
    PAGES,
    PIECES,
    ROOT,
    TWO_MACHINES,
    Piece,
    left_out,
    made,
    pieces,
)


def run(piece: Piece) -> bool:
    """Make its record anew; whether there is one now."""
    if piece.page == TWO_MACHINES and (why := hosts.missing()) is not None:
        print(f"error: {piece.page}/{piece.name} is not run: {why}", file=sys.stderr)
        return False
    shutil.rmtree(piece.path, ignore_errors=True)
    print(shlex.join(piece.command), flush=True)
    place = piece.path.relative_to(ROOT)  # the command stands in the report, and may be shown to others
    command = [str(HOPCOST), *piece.command[1:], "--record", str(place)]
    with contextlib.ExitStack() as machines:
        if piece.page == TWO_MACHINES:
            folder = Path(machines.enter_context(tempfile.TemporaryDirectory(prefix="hopcost-two-")))
            two = machines.enter_context(hosts.running(folder))
            command = [*two.inside, *command, *two.keys]
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, cwd=ROOT)
    return piece.record() is not None


def main() -> int:
    """Run what is missing, then write the pages; 1 when a piece has no record afterwards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", default=EVERY, help=f"of {', '.join(EVERY)}; all by default")
    parser.add_argument(
        "--next", action="store_true", help="run the next missing piece only; exit 3 when there is none"
    )
    parser.add_argument("--only", action="append", metavar="SUITE/EXPERIMENT", help="these, even if they are done")
    parser.add_argument("--render", action="store_true", help="write the pages, run nothing")
    wanted = parser.parse_args()
    every = list(pieces(wanted.suites))
    missing = [piece for piece in every if piece.record() is None]
    if wanted.only:
        missing = [
            piece
            for piece in every
            if {f"{piece.page}/{piece.name}", f"{piece.page}/{piece.experiment}"} & {*wanted.only}
        ]
    if wanted.next and not missing:
        return 3
    due = [] if wanted.render else missing[:1] if wanted.next else missing
    failed = [piece for piece in due if not run(piece)]
    for name in wanted.suites if wanted.render else dict.fromkeys(piece.page for piece in due):
        if done := made(name):
            (PAGES / f"{name}.md").write_text(render(name, done), encoding="utf-8")
            claims = name in PIECES.suites and read.read_suite(name).claims
            if claims and not left_out(name, done):  # a missing piece tests no claim
                parts.write(CLAIMS, read.read_suite(name), [record for _, record in done])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
