"""Read a record: find its directory, decode its files, refuse what cannot be. contents/run.py lists the files."""

from __future__ import annotations

import difflib
from pathlib import Path

import msgspec

from hopcost import __version__
from hopcost.errors import UsageError
from hopcost.plan.plan import Plan
from hopcost.record import checks
from hopcost.record.contents.block import Block
from hopcost.record.contents.question import KeptQuestion
from hopcost.record.contents.repeat import Repeat
from hopcost.record.contents.run import FORMAT, Line, Record, Run, _Format
from hopcost.record.names import FOLDER, LATEST, named_record, record_names
from hopcost.suites.suite import Suite

DAMAGE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # the last: brackets without an end
MAKE_ONE = "make one: hopcost run nginx-go --quick"
NEWEST_NAMED = 3  # records, if no record is called so


def find_record(name: str) -> Path:
    """The record at this path, of this name in `records/`, or the latest one there; UsageError when there is none."""
    if name == LATEST:
        records = _newest_first()
        if not records:
            raise UsageError(f"no record in {FOLDER}/", MAKE_ONE)
        return next(filter(_has_a_start, records), records[0])  # one that was interrupted at once hides none
    path = named_record(name)
    if path is None:
        raise UsageError(f"{name}: no record there (a directory with run.json)", _which_there_are(name))
    return path


def _which_there_are(name: str) -> str:
    """The record with nearly this name, or else the newest ones: first of all those with the word in their names."""
    close = difflib.get_close_matches(name, [LATEST, *record_names()], n=1)
    if close:
        return f"did you mean '{close[0]}'?"
    newest = [str(path.relative_to(FOLDER)) for path in _newest_first()]
    shown = ([other for other in newest if name in other] or newest)[:NEWEST_NAMED]
    return f"{LATEST}, or by name: {', '.join(shown)}" if shown else MAKE_ONE


def _newest_first() -> list[Path]:
    """The records in `records/`, without those in folders of it."""
    dated = sorted(((_started_utc(path), path.parent) for path in FOLDER.glob("*/run.json")), reverse=True)
    return [path for _, path in dated]


def _has_a_start(path: Path) -> bool:
    return any(file.is_file() and file.stat().st_size for file in (path / "blocks.jsonl", path / "repeats.jsonl"))


def _started_utc(path: Path) -> str:
    """When a run began: names do not tell, since people give their own; a damaged record counts as the oldest."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Run).started_utc
    except (OSError, *DAMAGE):
        return ""


def read_record(path: Path) -> Record:
    """Read a record; UsageError when its files do not fit, or say what cannot be (checks.py).

    A cut-off last line of blocks.jsonl becomes a warning.
    """
    format = _get(path / "run.json", _Format).format  # first of all: another format may have other keys
    if format > FORMAT:
        raise UsageError(
            f"{path}: from a newer hopcost: record format {format}, this one ({__version__}) reads {FORMAT}",
            "upgrade hopcost, or read it with the hopcost that wrote it",
        )
    if format != FORMAT:
        raise UsageError(
            f"{path}: record format {format}, this hopcost reads {FORMAT}", "read it with the hopcost that wrote it"
        )
    warnings: list[str] = []
    record = Record(
        path=path,
        run=_get(path / "run.json", Run),
        suite=_get(path / "suite.json", Suite),
        plan=_read_plan(path),
        environment=_get(path / "environment.json", dict[str, object]),
        blocks=_read_lines(path / "blocks.jsonl", Block, warnings),
        repeats=_read_lines(path / "repeats.jsonl", Repeat, warnings),
        warnings=warnings,
        question=_get(path / "question.json", KeptQuestion) if (path / "question.json").exists() else None,
    )
    checks.check_record(path, record.suite, record.plan, record.blocks, record.repeats)
    return record


class _AnyTurns(msgspec.Struct):
    turns: str = ""


class _AnyPlan(msgspec.Struct):
    experiments: list[_AnyTurns]


def _read_plan(path: Path) -> Plan:
    """The plan; UsageError if some of its arms never shared a block, as in records of an older hopcost."""
    try:
        plan: Plan = _get(path / "plan.json", Plan)
    except UsageError:
        if "threes" in (experiment.turns for experiment in _get(path / "plan.json", _AnyPlan).experiments):
            raise UsageError(
                f"{path}: measured by an older hopcost in blocks of three, which this one ({__version__}) cannot read",
                "measure again, or read it with the hopcost that wrote it",
            ) from None
        raise
    return plan


def _get(path: Path, kind: type[msgspec.Struct] | type[dict[str, object]]):  # type: ignore[no-untyped-def]
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "the record is incomplete") from error
    except DAMAGE as error:
        raise UsageError(f"{path}: {error}", "the record is damaged, or not one of this hopcost's") from error


def _read_lines(path: Path, kind: type[Line], warnings: list[str]) -> list[Line]:
    try:
        *lines, rest = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "a record must be readable for you") from error
    if rest:
        warnings.append(f"{path}: line {len(lines) + 1} is cut off; read up to it")
    decoder = msgspec.json.Decoder(kind)
    contents: list[Line] = []
    for number, line in enumerate(lines, start=1):
        try:
            contents.append(decoder.decode(line))
        except DAMAGE as error:
            warnings.append(f"{path}: line {number} is damaged ({error}); read up to it")
            break
    return contents
