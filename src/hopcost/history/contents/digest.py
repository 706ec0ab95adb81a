"""A record's digest: the same contents have the same one, wherever the record lies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.plan.plan import Plan
from hopcost.record.contents.run import Run

FILES = (
    "run.json",
    "suite.json",
    "plan.json",
    "environment.json",
    "blocks.jsonl",
    "repeats.jsonl",
    "question.json",
)
STACKS = "stacks"


def digest_of(record: Path) -> str:
    """SHA-256, in hex, of the files that a run wrote, with their names. Reports beside them do not count.

    UsageError if one cannot be read, or if it is no record.
    """
    whole = hashlib.sha256()
    if not (record / "run.json").is_file():
        raise UsageError(f"{record}: no record there (a directory with run.json)", "hopcost run makes one")
    for path in _files(record):
        name = str(path.relative_to(record)).encode("utf-8", "surrogateescape")
        try:
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").digest()
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}", "a record must be readable for you") from error
        whole.update(len(name).to_bytes(8, "big") + name + content)
    return whole.hexdigest()


def digest_of_run(run: Run, plan: Plan) -> str:
    """The same for one run however far it got: when it began, the seed of its orders, its suite."""
    words = "\0".join([run.started_utc, str(plan.seed), plan.suite])
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def _files(record: Path) -> Iterator[Path]:
    """In a fixed order."""
    yield from (path for name in FILES if (path := record / name).is_file())
    folder = record / STACKS
    yield from sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else ()
