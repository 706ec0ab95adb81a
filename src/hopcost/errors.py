"""What can go wrong, and the exit code that each kind means.

    HopcostError
    ├── UsageError        the words, the file or the key are wrong          exit 2
    ├── CannotMeasure     this machine cannot measure that                  exit 3
    ├── NotSettled        there is no answer                                exit 4
    ├── Interrupted       somebody stopped it, and was told what there is   exit 130
    ├── MeasurementFailed something that was measured failed                exit 1
    │   └── ArmFailed     a program or an arm: a row in the record, the others go on
    └── (any other exception is a bug: a traceback)

A message says what and where; the hint says what to do.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Iterable, Iterator

EXIT_CODES = {
    0: "done",
    1: "something that was measured failed, or a gate did not pass",
    2: "usage: the command line, a suite or a record is wrong",
    3: "this machine cannot measure that",
    4: "no answer: nothing is settled, or `hopcost load` with a caution",
    130: "interrupted; the record so far can be reported",
}


class HopcostError(Exception):
    """An error with a message for the person at the terminal, a hint where there is a remedy, and an exit code."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HopcostError):
    """The command line or a file that a person wrote is wrong."""

    exit_code = 2


class CannotMeasure(HopcostError):
    """This machine, or this user on it, cannot measure what was asked."""

    exit_code = 3


class NotSettled(HopcostError):
    """There is no verdict: what should have been compared could not be measured to the end."""

    exit_code = 4


class Interrupted(HopcostError):
    """Somebody stopped it, and was told what there is: nothing more is printed."""

    exit_code = 130


class MeasurementFailed(HopcostError):
    """The measurement began and failed; the record keeps what was done before."""

    exit_code = 1


class ArmFailed(MeasurementFailed):
    """One arm failed: it leaves its experiment with this reason, the others go on."""

    def __init__(self, arm: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.arm = arm


def nearest(word: str, known: Iterable[str]) -> str:
    """`did you mean …?` for a word that is not among the known ones, or the list of them."""
    candidates = sorted(known)
    close = difflib.get_close_matches(word, candidates, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else "known: " + ", ".join(candidates)


def printable(line: str) -> str:
    """Control characters shown as such: what a program printed must not steer the terminal that shows it."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", line)


@contextlib.contextmanager
def needs_extra(extra: str, purpose: str) -> Iterator[None]:
    """Around imports: CannotMeasure that names the extra of hopcost if one of its packages is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "hopcost":
            raise
        packages = _packages_of(extra)
        hint = f"pip install {' '.join(packages)}" if packages else "install hopcost with it"
        raise CannotMeasure(
            f"{purpose} needs {error.name}, which is not installed", f"{hint} (hopcost's extra '{extra}')"
        ) from error


def _packages_of(extra: str) -> list[str]:
    """The packages that the installed distribution names for an extra."""
    from importlib.metadata import requires  # only where something is missing: it would slow down --help

    wanted = re.compile(rf"extra == ['\"]{extra}['\"]")
    needed = [line for line in requires("hopcost") or [] if wanted.search(line)]
    return [match[0] for line in needed if (match := re.match(r"[\w.-]+(?:\[[\w,-]+\])?", line))]
