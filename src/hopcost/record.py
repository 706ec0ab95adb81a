"""The record: a directory that holds everything one run produced. Reports read nothing else.

run.json           format, hopcost's version, the command, when it began and how it ended
suite.json         the suite as it was read, with every default
plan.json          what it meant on this machine: arms, cores, seed, looks, what was left out
environment.json   the machine, its limits and sysctls, the version of every program
blocks.jsonl       one line per block, flushed when the block is done; docs/record-format.md has the keys
stacks/E/A/        of arm A in experiment E: commands.json and the generated files
"""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from hopcost import __version__, record_check
from hopcost.errors import MeasurementFailed, UsageError, nearest
from hopcost.method import METHOD
from hopcost.plan import Plan
from hopcost.prepared import PreparedStack
from hopcost.record_names import FOLDER as FOLDER
from hopcost.record_names import names
from hopcost.recorded import ArmBlock as ArmBlock
from hopcost.recorded import Block as Block
from hopcost.recorded import CheckedAnswer as CheckedAnswer
from hopcost.recorded import Failure as Failure
from hopcost.recorded import MemorySample as MemorySample
from hopcost.recorded import OpenLoad as OpenLoad
from hopcost.recorded import PeerRun as PeerRun
from hopcost.recorded import Receipt as Receipt
from hopcost.recorded import Repeat as Repeat
from hopcost.suite import Suite

FORMAT = 3
DAMAGE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # the last: brackets without an end

Line = TypeVar("Line", bound=msgspec.Struct)


class Ending(msgspec.Struct):
    """Why an experiment stopped: `precision`, `budget`, `blocks` (all looks done), `failed` or `interrupted`."""

    experiment: str
    why: str
    detail: str


class Run(msgspec.Struct):
    """The run as a whole; `ended_utc` stays None in a run that was killed. The first method had no number: it is 1."""

    format: int
    hopcost: str
    command: list[str]
    started_utc: str
    ended_utc: str | None = None
    endings: list[Ending] = []
    method: int = 1


class _Format(msgspec.Struct):
    """What every record's run.json has, whatever its format."""

    format: int


class Record(msgspec.Struct):
    """A record as read; `warnings` tell what could not be."""

    path: Path
    run: Run
    suite: Suite
    plan: Plan
    environment: dict[str, object]
    blocks: list[Block]
    warnings: list[str]
    repeats: list[Repeat] = []

    def blocks_of(self, experiment: str) -> list[Block]:
        """The blocks of one experiment in their order, void ones among them."""
        return [block for block in self.blocks if block.experiment == experiment]


def now_utc() -> str:
    """The wall clock's time to the second, for people; nothing is computed from it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Writer:
    """Writes a record; what is written stays readable whatever happens afterwards.

    A context manager: leaving it without an error notes the end of the run.
    """

    def __init__(
        self, path: Path | None, suite: Suite, plan: Plan, environment: dict[str, object], command: list[str]
    ) -> None:
        self.path = path or _new_folder(plan.suite)
        if _is_taken(self.path):
            raise UsageError(
                f"{self.path}: exists and is not an empty directory", "nothing is overwritten: name another one"
            )
        self.run = Run(format=FORMAT, hopcost=__version__, command=command, started_utc=now_utc(), method=METHOD)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}", "name another directory with --record") from error
        self._put("suite.json", suite)
        self._put("plan.json", plan)
        self._put("environment.json", environment)
        self._put("run.json", self.run)
        self._blocks = (self.path / "blocks.jsonl").open("ab", buffering=0)

    def append(self, block: Block) -> None:
        """Add a block; MeasurementFailed when it cannot be written, the blocks before it stay."""
        self._append(self._blocks, "blocks.jsonl", block)

    def append_repeat(self, repeat: Repeat) -> None:
        """Add a repeat of the article's protocol, to a file of its own."""
        with (self.path / "repeats.jsonl").open("ab", buffering=0) as file:
            self._append(file, "repeats.jsonl", repeat)

    def _append(self, file: FileIO, name: str, content: object) -> None:
        line = msgspec.json.encode(content) + b"\n"
        whole = file.seek(0, os.SEEK_END)
        try:
            written = file.write(line)
            if written != len(line):
                raise OSError(28, "No space left on device")
            os.fsync(file.fileno())
        except OSError as error:
            os.ftruncate(file.fileno(), whole)  # giving space back works on a full disk too
            raise self._cannot_write(name, error) from error

    def put_stack(self, experiment: str, stack: PreparedStack) -> None:
        """Keep the commands and generated files of an arm; the first time only, later blocks differ in ports alone."""
        folder = self.path / "stacks" / experiment / stack.arm
        if folder.exists():
            return
        try:
            folder.mkdir(parents=True)
            for hop in stack.hops:
                for name, text in hop.files.items():
                    (folder / f"{hop.name}.{name}").write_text(text, encoding="utf-8")
            (folder / "commands.json").write_bytes(
                msgspec.json.format(
                    msgspec.json.encode(
                        [{"hop": hop.name, "cores": stack.cores.stack, "command": hop.command} for hop in stack.hops]
                    )
                )
            )
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise self._cannot_write(f"stacks/{experiment}/{stack.arm}", error) from error

    def end_experiment(self, ending: Ending) -> None:
        """Note why an experiment stopped."""
        self.run.endings.append(ending)
        self._put("run.json", self.run)

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._blocks.close()
        if kind is None:
            self.run.ended_utc = now_utc()
            self._put("run.json", self.run)

    def _put(self, name: str, content: object) -> None:
        """Write a file whole or not at all."""
        path = self.path / name
        unfinished = self.path / f".{name}.new"
        try:
            unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise self._cannot_write(name, error) from error

    def _cannot_write(self, name: str, error: OSError) -> MeasurementFailed:
        return MeasurementFailed(
            f"{self.path / name}: {error.strerror}",
            f"what was recorded before is whole: hopcost report {self.path}",
        )


def _is_taken(path: Path) -> bool:
    """Whether something is there that is not an empty directory; UsageError when that cannot be seen."""
    try:
        return path.exists() and (not path.is_dir() or any(path.iterdir()))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name another directory with --record") from error


def _new_folder(suite: str) -> Path:
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    path = FOLDER / f"{stamp}-{suite}"
    number = 2
    while path.exists():
        path = FOLDER / f"{stamp}-{suite}-{number}"
        number += 1
    return path


def find(name: str) -> Path:
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
    known = ["latest", *names()]
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


def read(path: Path) -> Record:
    """Read a record; UsageError when its files do not fit, or say what cannot be (record_check.py).

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
        plan=_get(path / "plan.json", Plan),
        environment=_get(path / "environment.json", dict[str, object]),
        blocks=_read_lines(path / "blocks.jsonl", Block, warnings),
        repeats=_read_lines(path / "repeats.jsonl", Repeat, warnings),
        warnings=warnings,
    )
    record_check.check(path, record.suite, record.plan, record.blocks, record.repeats)
    return record


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
    found: list[Line] = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(decoder.decode(line))
        except DAMAGE as error:
            warnings.append(f"{path}: line {number} is damaged ({error}); read up to it")
            break
    return found
