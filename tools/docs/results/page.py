"""A page of docs/results out of records: the reading, and of each experiment the sentence, the chart and the table."""

from __future__ import annotations

import shlex

from hopcost.history.contents.digest import digest_of
from hopcost.record.contents.run import Record
from hopcost.report.formats.markdown import markdown
from hopcost.report.record_report import document
from hopcost.statistics.summary import summary
from tools.docs.results.pieces import PIECES, TWO_MACHINES, Piece, left_out
from tools.markdown import fill, fold, table


def render(name: str, done: list[tuple[Piece, Record]]) -> str:
    """The page of a suite: what to take from it, then of each experiment the sentence, the chart and the table."""
    missing = [piece.name for piece in left_out(name, done)]
    experiments = [experiment for _, record in done for experiment in summary.summarise(record)]
    records = table(
        ["command", "started", "digest of its record"],
        [
            [f"`{_without_place(record.run.command)}`", record.run.started_utc, f"`{digest_of(piece.path)[:16]}…`"]
            for piece, record in done
        ],
    )
    how = fold("How it was made", f"By `make results`, a record for each row.\n\n{records}")
    left = f"\n\nNot run yet: {', '.join(missing)}." if missing else ""
    page = document(done[0][1], experiments)
    page.sections.pop()  # where one record lies
    title = f"# {'Loaded from another machine' if name == TWO_MACHINES else done[0][1].suite.title} ({name})"
    reading = f"\n\n{PIECES.readings[name].strip()}" if name in PIECES.readings else ""
    _, _, text = markdown(page).partition("\n")
    return fill(f"{title}{reading}\n{text}\n{how}{left}")


def _without_place(command: list[str]) -> str:
    """The command that made a record, without the place of the record."""
    return shlex.join(command[: command.index("--record")])
