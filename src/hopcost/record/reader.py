"""Read a record: find its directory, decode its files, refuse what cannot be. run.py lists the files."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from hopcost import __version__
from hopcost.errors import UsageError, nearest
from hopcost.plan.plan import Plan
from hopcost.record import checks
from hopcost.record.block import Block
from hopcost.record.names import FOLDER, record_names
from hopcost.record.repeat import Repeat
from hopcost.record.run import FORMAT, Line, Record, Run, _Format
from hopcost.suites.suite import Suite

DAMAGE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # the last: brackets without an end


def find_record(name: str) -> Path:
    """The record at this path, of this name in `records/`, or the latest one there; UsageError when there is none."""
    if name == "latest":
        records = sorted((_started_utc(path), path.parent) for path in FOLDER.glob("*/run.json"))
        if not records:
            raise UsageError(f"no record in {FOLDER}/", "make one: hopcost run nginx-go --quick")
        return records[-1][1]
    for path in (Path(name), FOLDER / name):
        with contextlib.suppress(OSError):  # a name that cannot be a file's, a folder that may not be read
            if (path / "run.json").is_file():
                return path
    known = ["latest", *record_names()]
    raise UsageError(
        f"{name}: no record there (a directory with run.json)",
        f"name a record's directory, or `latest`; {nearest(name, known)}" if len(known) > 1 else "name its directory",
    )


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
        raise UsageError(f"{path}: {error.strerror}") from error
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
