"""One record: its report, read from where the record lies, or what is kept if it lies there no more."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.history.contents.digest import digest_of
from hopcost.history.points import KeptRecord
from hopcost.page.answers import Data, Page
from hopcost.page.asked import read_digest
from hopcost.page.kept import Kept
from hopcost.page.links import trend_of
from hopcost.page.views.in_turn import in_turn
from hopcost.page.views.kept_figures import kept_figures
from hopcost.record import reader
from hopcost.record.contents.run import Record
from hopcost.report import Format, Result, render
from hopcost.report.formats.html import page as html
from hopcost.report.questions.kept import kept_answer
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import summarise

REPORTS_HELD = 16


@dataclass(frozen=True)
class Report:
    """What the report's page shows, and its figures as text."""

    content: dict[str, object]
    data: dict[Format, str]


def show_record(kept: Kept, digest: str) -> Page:
    """Its HTML report. If its folder cannot be read, say on another machine: what the database has, and why."""
    record = kept.record(read_digest(digest, "record"))
    trends = list(dict.fromkeys(map(trend_of, kept.points(record.digest))))
    try:
        report = make_report(record)
    except UsageError as error:
        experiments = kept_figures(kept.summary(record.digest))
        content = {"kept": record, "error": error, "experiments": experiments, "trends": trends}
        return Page("unread.html.j2", content)
    return Page("record.html.j2", {**report.content, "kept": record, "trends": trends})


def save_record(kept: Kept, digest: str, format: Format) -> Data:
    """Its figures, as `hopcost report` writes them; UsageError if it cannot be read."""
    record = kept.record(read_digest(digest, "record"))
    return Data(make_report(record).data[format], format, f"{record.suite}-{record.digest[:8]}")


def make_report(record: KeptRecord) -> Report:
    """The same digest is the same record, so that a report is made once."""
    with in_turn():
        return _made(record.digest, record.path)


@lru_cache(REPORTS_HELD)
def _made(digest: str, path: str) -> Report:
    record = read_kept(path, digest)
    plain = record_report(record, summarise(record))
    answer = kept_answer(record)
    shown: Result = plain if answer is None or answer.summary is None else answer
    data = {format: render(plain, format) for format in (Format.CSV, Format.JSON)}
    head = msgspec.structs.replace(record, blocks=[], repeats=[])  # of the record the page itself needs no more
    return Report({**html.contents(shown), "record": head}, data)


def read_kept(path: str, digest: str) -> Record:
    """The record where it was kept from; UsageError if it lies there no more, or if another one does."""
    folder = Path(path)
    try:
        if not (folder / "run.json").is_file():
            raise UsageError(f"{path}: this machine has no record there", "hopcost keep FOLDER tells where it lies now")
        if digest_of(folder) != digest:
            raise UsageError(
                f"{path}: another record lies there now", f"it went on, or was replaced: hopcost keep {path}"
            )
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "the server needs to read the record's folder") from error
    return reader.read_record(folder)
