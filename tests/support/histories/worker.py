"""A writer as a process of its own: it keeps records, and may be killed (SIGKILL, by itself) at a chosen moment.

    python worker.py DATABASE MOMENT RECORD…

MOMENT is `never`, or what it dies of: `points` (before the first of them is written), `commit` (before the transaction
ends), `schema` (in the middle of making the tables). It says `ready`, and waits for a line before it opens anything,
so that many of them begin at once.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from sqlalchemy import Engine, event

from hopcost.errors import HopcostError
from hopcost.history.history import History

STATEMENTS = {"points": "INSERT INTO hopcost_points", "schema": "CREATE TABLE hopcost_points"}


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_in(moment: str) -> None:
    """Have this process killed there."""
    if moment == "commit":
        event.listen(Engine, "commit", die)
    elif moment in STATEMENTS:

        def look(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            if statement.lstrip().startswith(STATEMENTS[moment]):
                die()

        event.listen(Engine, "before_cursor_execute", look)


def main() -> int:
    database, moment, *records = sys.argv[1:]
    if moment == "schema":
        die_in(moment)
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        with History.open(database) as history:
            die_in(moment)
            for record in records:
                print(history.keep(Path(record), {"writer": str(os.getpid())}).value, flush=True)
    except HopcostError as error:
        print(f"{type(error).__name__}: {error.message}\n{error.hint}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
