"""Reasons of blocks by kind: sentences that differ only in the arm, the rate, the figures or the programs.

A record has each reason of each block, such as `nginx: at 1600/s 7.2 % of the requests were sent late`. In a bad hour
they fill a page, and few of them differ in kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

ARM = re.compile(r"(?:arm `([^`]+)`|([\w.-]+)): ")
OPEN_LOOP = "open loop: "
RATE = re.compile(r"at (\d[\d.e+]*)/s ")
# A figure has a unit behind it. The number of a signal tells kinds apart, and so does an address or a part of a name.
FIGURE = re.compile(r"(?<![\w.:/,+-])(?<!signal )(?<!code )[+-]?\d[\d,]*(?:\.\d+)?(?= ?%| [a-zµ])")
PROGRAMS = re.compile(r"(?<=: )\S.*? \(pid \d+\)(?:, .+? \(pid \d+\))*$")
PROGRAM = re.compile(r"(?:, )?(.+?) \(pid (\d+)\)")
NAMED_ARMS = 2
NAMED_PROGRAMS = 3


class Reason(NamedTuple):
    """A reason taken apart. Reasons of one kind have the same `pieces`: the words between the figures."""

    block: int
    text: str
    arm: str | None
    rate_per_s: float | None
    pieces: tuple[str, ...]
    figures: tuple[str, ...]
    programs: tuple[tuple[str, str], ...]  # names and pids


class Kind(NamedTuple):
    """All reasons of one kind, at least one."""

    reasons: tuple[Reason, ...]

    @property
    def blocks(self) -> list[int]:
        """The numbers of its blocks, in order."""
        return sorted({reason.block for reason in self.reasons})

    @property
    def subject(self) -> str:
        """`4 arms at 1,600/s`, or a part of it; empty if the reasons name neither arms nor rates."""
        arms = list(dict.fromkeys(reason.arm for reason in self.reasons if reason.arm is not None))
        rates = sorted({reason.rate_per_s for reason in self.reasons if reason.rate_per_s is not None})
        words = [" and ".join(arms) if len(arms) <= NAMED_ARMS else f"{len(arms)} arms"] if arms else []
        if rates:
            words.append(f"at {_range([f'{rate:,.10g}' for rate in rates])}/s")
        return " ".join(words)

    @property
    def what(self) -> str:
        """`6.1 to 12 % of the requests were sent late`: each figure from the least to the most."""
        pieces = self.reasons[0].pieces
        figures = zip(*(reason.figures for reason in self.reasons), strict=True)
        words = pieces[0] + "".join(_range(values) + piece for values, piece in zip(figures, pieces[1:], strict=True))
        return words + _programs([program for reason in self.reasons for program in reason.programs])

    def words(self) -> str:
        """`4 arms at 1,600/s: 6.1 to 12 % …`. A reason that occurs once stays as it is."""
        if len(self.reasons) == 1:
            return self.reasons[0].text
        return ": ".join(filter(None, (self.subject, self.what)))


def group_reasons(reasons: Iterable[tuple[int, str]]) -> list[Kind]:
    """The kinds of reasons, in the order in which they first occur. `reasons`: a block's number and a reason of it."""
    kinds: dict[tuple[str, ...], list[Reason]] = {}
    for block, text in reasons:
        reason = _take_apart(block, text)
        kinds.setdefault(reason.pieces, []).append(reason)
    return [Kind(tuple(kind)) for kind in kinds.values()]


def shorten_reasons(reasons: Sequence[str]) -> str:
    """The first kind, and how many more there are: `nginx: the CPU was busy; and 3 more`."""
    kinds = group_reasons((0, reason) for reason in reasons)
    more = [f"and {len(kinds) - 1} more"] if len(kinds) > 1 else []
    return "; ".join([*(kind.words() for kind in kinds[:1]), *more])


def _take_apart(block: int, text: str) -> Reason:
    """Text of several lines was printed by a program: it is a kind of its own."""
    if "\n" in text:
        return Reason(block, text, None, None, (text,), (), ())
    arm, rate_per_s, loop, rest = None, None, "", text
    while True:
        if rest.startswith(OPEN_LOOP):
            loop, rest = OPEN_LOOP, rest.removeprefix(OPEN_LOOP)
        elif prefix := ARM.match(rest):
            arm, rest = prefix[1] or prefix[2], rest[prefix.end() :]
        else:
            break
    if prefix := RATE.match(rest):
        rate_per_s, rest = float(prefix[1]), rest[prefix.end() :]
    programs = PROGRAMS.search(rest)
    names = tuple(PROGRAM.findall(programs[0])) if programs else ()
    rest = loop + (rest[: programs.start()] if programs else rest)
    return Reason(block, text, arm, rate_per_s, tuple(FIGURE.split(rest)), tuple(FIGURE.findall(rest)), names)


def _range(figures: Sequence[str]) -> str:
    """`6.1 to 12`, or one figure if they are equal."""
    ordered = sorted(figures, key=lambda figure: float(figure.replace(",", "")))
    return " to ".join(dict.fromkeys((ordered[0], ordered[-1])))


def _programs(programs: Sequence[tuple[str, str]]) -> str:
    """`cargo (9 processes), pytest (pid 6902) and 2 more`, those first that were named most often."""
    mentions = Counter(name for name, _ in programs)
    words = []
    for name, _ in mentions.most_common(NAMED_PROGRAMS):
        pids = {pid for other, pid in programs if other == name}
        words.append(f"{name} (pid {min(pids)})" if len(pids) == 1 else f"{name} ({len(pids)} processes)")
    more = f" and {len(mentions) - NAMED_PROGRAMS} more" if len(mentions) > NAMED_PROGRAMS else ""
    return ", ".join(words) + more
