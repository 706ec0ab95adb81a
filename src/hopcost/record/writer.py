"""Write a record while a run goes on: each block whole or not at all. contents/run.py lists the files."""

from __future__ import annotations

import datetime
import errno
import os
import shutil
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType

import msgspec

from hopcost import __version__
from hopcost.errors import MeasurementFailed, UsageError
from hopcost.plan.method import METHOD
from hopcost.plan.plan import LeftOut, Plan
from hopcost.record.contents.block import Block
from hopcost.record.contents.question import KeptQuestion
from hopcost.record.contents.repeat import Repeat
from hopcost.record.contents.run import FORMAT, Ending, Run
from hopcost.record.kept_files import COMMANDS, KeptCommand
from hopcost.record.names import FOLDER
from hopcost.record.secrets.structures import StructureMasker
from hopcost.suites.suite import Suite


def now_utc() -> str:
    """The wall clock's time to the second, for people; nothing is computed from it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Writer:
    """Writes a record, secrets masked; what is written stays readable whatever happens afterwards.

    A context manager: leaving it without an error notes the end of the run.
    """

    def __init__(
        self,
        path: Path | None,
        suite: Suite,
        plan: Plan,
        environment: dict[str, object],
        command: list[str],
        question: KeptQuestion | None = None,
    ) -> None:
        self.path = path or new_folder(plan.suite)
        refuse_taken(self.path)
        self._mask = StructureMasker()
        masked = self._mask.masker.mask_words(command)
        self.run = Run(format=FORMAT, hopcost=__version__, command=masked, started_utc=now_utc(), method=METHOD.number)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}", "name another directory with --record") from error
        self._put("suite.json", self._mask.mask_suite(suite))
        self._put("plan.json", self._mask.mask_plan(plan))
        self._put("environment.json", environment)
        if question is not None:
            self._put("question.json", question)
        self._put("run.json", self.run)
        self._blocks = (self.path / "blocks.jsonl").open("ab", buffering=0)

    def extend(self, suite: Suite, plan: Plan, question: KeptQuestion) -> None:
        """A plan that goes on from the one so far, with its suite and its question; what is there stays.

        The suite first, so that a run killed in between has a suite with all that its plan names.
        """
        self._put("suite.json", self._mask.mask_suite(suite))
        self._put("plan.json", self._mask.mask_plan(plan))
        self._put("question.json", question)

    def append(self, block: Block) -> Block:
        """Add a block, and return it as it was written: with its secrets masked.

        MeasurementFailed when it cannot be written; the blocks before it stay.
        """
        masked = self._mask.mask_block(block)
        self._append(self._blocks, "blocks.jsonl", masked)
        return masked

    def append_repeat(self, repeat: Repeat) -> None:
        """Add a repeat of the article's protocol, to a file of its own."""
        with (self.path / "repeats.jsonl").open("ab", buffering=0) as file:
            self._append(file, "repeats.jsonl", self._mask.mask_repeat(repeat))

    def _append(self, file: FileIO, name: str, content: object) -> None:
        line = msgspec.json.encode(content) + b"\n"
        whole = file.seek(0, os.SEEK_END)
        try:
            written = file.write(line)
            if written != len(line):
                raise OSError(errno.ENOSPC, "No space left on device")
            os.fsync(file.fileno())
        except OSError as error:
            os.ftruncate(file.fileno(), whole)  # giving space back works on a full disk too
            raise self._cannot_write(name, error) from error

    def put_stack(self, experiment: str, arm: str, commands: list[KeptCommand], files: Mapping[str, str]) -> None:
        """Keep the commands and generated files of an arm; the first time only, later blocks differ in ports alone."""
        folder = self.path / "stacks" / experiment / arm
        if folder.exists():
            return
        try:
            folder.mkdir(parents=True)
            for name, text in files.items():
                (folder / name).write_text(self._mask.masker.mask_text(text), encoding="utf-8", errors="replace")
            masked = [self._mask.mask_command(command) for command in commands]
            (folder / COMMANDS).write_bytes(msgspec.json.format(msgspec.json.encode(masked)))
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise self._cannot_write(f"stacks/{experiment}/{arm}", error) from error

    def end_experiment(self, ending: Ending) -> None:
        """Note why an experiment stopped."""
        self.run.endings.append(self._mask.mask_ending(ending))
        self._put("run.json", self.run)

    def site_leaves(self, site: LeftOut) -> None:
        """Note that a site of a fleet measures no more, and why."""
        masker = self._mask.masker
        self.run.sites_left.append(msgspec.structs.replace(site, reason=masker.mask_text(site.reason)))
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


def refuse_taken(path: Path) -> None:
    """UsageError if no record may go there."""
    if _is_taken(path):
        raise UsageError(f"{path}: exists and is not an empty directory", "nothing is overwritten: name another one")


def _is_taken(path: Path) -> bool:
    """Whether something is there that is not an empty directory; UsageError when that cannot be seen."""
    try:
        return path.exists() and (not path.is_dir() or any(path.iterdir()))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name another directory with --record") from error


def new_folder(suite: str) -> Path:
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    path = FOLDER / f"{stamp}-{suite}"
    number = 2
    while path.exists():
        path = FOLDER / f"{stamp}-{suite}-{number}"
        number += 1
    return path
