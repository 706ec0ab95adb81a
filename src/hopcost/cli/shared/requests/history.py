"""What a person asks of a history: an arm that was kept, since when, of which machine, with which labels."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from hopcost.errors import UsageError, nearest

if TYPE_CHECKING:
    from hopcost.history.history import History
    from hopcost.history.points import Series

DAYS = {"d": 1, "w": 7}
LONGEST_DAYS = 36_500
MOST_LISTED = 8  # arms of one name
SUITE_FILE = ".toml/"

Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only records from then on: 30d, 12w, or a day as 2026-11-01."),
]
OfMachine = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="MACHINE",
        help="Only records of this machine: its host's name, or the first signs of its key."
        " [default: that of the newest record]",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Wanted:
    """Which records of an arm count."""

    arm: tuple[str, str, str]  # suite, experiment, arm
    since: datetime.datetime | None
    labels: dict[str, str]
    machine: str | None

    @property
    def name(self) -> str:
        """SUITE/EXPERIMENT/ARM."""
        return "/".join(self.arm)


def wanted_of(
    history: History,
    word: str,
    *,
    since: str | None = None,
    labels: list[str] | None = None,
    machine: str | None = None,
) -> Wanted:
    """The words of a command line; UsageError for what the history does not have, or for what cannot be read."""
    from hopcost.history.labels import read_labels

    now = datetime.datetime.now(datetime.UTC)
    return Wanted(
        arm=kept_arm(word, history),
        since=None if since is None else read_since(since, now),
        labels=read_labels(labels or []),
        machine=machine,
    )


def kept_arm(word: str, history: History) -> tuple[str, str, str]:
    """Suite, experiment and arm of SUITE/EXPERIMENT/ARM or of its end, of those that have records.

    A path that ends in .toml may stand in place of SUITE: records have the name that stands in the file. UsageError if
    there is none, or if there are several.
    """
    word = _with_suite_name(word)
    arms = {"/".join(arm): arm for arm in history.arms()}
    named = [name for name in arms if name == word] or [name for name in arms if name.endswith(f"/{word}")]
    if len(named) == 1:
        return arms[named[0]]
    if named:
        more = [f"  and {len(named) - MOST_LISTED} more"] if len(named) > MOST_LISTED else []
        listed = [f"  {name}" for name in named[:MOST_LISTED]]
        raise UsageError("\n".join([f"{len(named)} arms of the history end so:", *listed, *more]), "say which")
    if not arms:
        raise UsageError(f"the history is empty: {history.place}", "hopcost keep RECORD, or hopcost run --keep")
    ends = [end for name in arms for end in (name, name.rpartition("/")[2])]
    raise UsageError(f"the history has no record of '{word}'", nearest(word, ends))


def _with_suite_name(word: str) -> str:
    file, mark, rest = word.partition(SUITE_FILE)
    if not mark:
        return word
    from hopcost.suites.read import read_suite

    return f"{read_suite(file + mark.rstrip('/')).name}/{rest}"


def read_since(text: str, now: datetime.datetime) -> datetime.datetime:
    """`30d`, `12w` or `2026-11-01` (UTC); UsageError for anything else.

    >>> noon = datetime.datetime(2026, 11, 25, 12, tzinfo=datetime.UTC)
    >>> read_since("30d", noon).isoformat(), read_since("2026-11-01", noon).isoformat()
    ('2026-10-26T12:00:00+00:00', '2026-11-01T00:00:00+00:00')
    """
    words = text.strip()
    match = re.fullmatch(r"(\d{1,5})([dw])", words, re.ASCII)
    days = int(match[1]) * DAYS[match[2]] if match else 0
    if 0 < days <= LONGEST_DAYS:
        return now - datetime.timedelta(days=days)
    try:
        return datetime.datetime.strptime(words, "%Y-%m-%d").replace(tzinfo=datetime.UTC)
    except ValueError as error:
        raise UsageError(
            f"--since: expected a number of days or weeks, or a day, got '{text}'",
            "as in --since 30d, --since 12w or --since 2026-11-01",
        ) from error


def series_of(history: History, wanted: Wanted, figure: str) -> list[Series]:
    """The series of a figure, that with the newest record first; none if no record is left."""
    return history.series(*wanted.arm, figure, since=wanted.since, labels=wanted.labels, machine=wanted.machine)


def refuse_none(history: History, wanted: Wanted) -> UsageError:
    """That no record is left of those that the history has of the arm."""
    asked = [
        *([f"since {wanted.since:%Y-%m-%d}"] if wanted.since is not None else []),
        *(f"with the label {name}={value}" for name, value in wanted.labels.items()),
        *([f"of the machine '{wanted.machine}'"] if wanted.machine is not None else []),
    ]
    machines = ", ".join(f"{key[:8]} ({host})" for key, host in history.machines())
    hint = f"machines of the history: {machines}" if wanted.machine is not None else "hopcost keep RECORD keeps one"
    return UsageError(" ".join([f"the history has no record of {wanted.name}", *asked]), hint)
