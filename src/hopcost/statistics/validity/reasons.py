"""Reasons of blocks in words, those of one kind together: in a bad hour they fill a page, and few differ in kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind

NAMED_ARMS = 2
NAMED_PROGRAMS = 3
UNSEEN = "none of them can be seen from here"


def _percent(share: float) -> str:
    """`7.2`, `12`."""
    percent = 100 * share
    return f"{percent:.0f}" if abs(percent) >= 10 else f"{percent:.1f}".removesuffix(".0")


def _signed_percent(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _milliseconds(ns: float) -> str:
    return f"{ns / 1e6:.0f}"


def _signed_milliseconds(ns: float) -> str:
    return f"{ns / 1e6:+.0f}".replace("-", "−")


def _number(value: float) -> str:
    return f"{value:,.0f}"


class Sentence(NamedTuple):
    """What a kind of reason says; `{}` is the figure."""

    words: str
    figure: Callable[[float], str] = _percent


SENTENCES = {
    ReasonKind.OTHER_PROGRAMS: Sentence("other programs used {} % of the CPU"),
    ReasonKind.STEAL: Sentence("the hypervisor kept {} % of the CPU"),
    ReasonKind.QUOTA: Sentence("a CPU quota of the cgroup kept this run waiting for {} % of the time"),
    ReasonKind.SWAPPING: Sentence("the machine swapped {} pages in and out", _number),
    ReasonKind.CLOCK_STEP: Sentence("the wall clock was set by {} ms meanwhile", _signed_milliseconds),
    ReasonKind.LONG_STALLS: Sentence(
        "the generator's core stood still for {} ms: no slice of the open loop is long enough", _milliseconds
    ),
    ReasonKind.RUN_DELAY: Sentence(
        "for {} % of the time the load generator did not get its core: answers look slower than they were"
    ),
    ReasonKind.STOOD_STILL: Sentence("the mean time is above p99: something stood still"),
    ReasonKind.LITTLES_LAW: Sentence(
        "the service times are {} % off from the requests in flight over time (Little's law)", _signed_percent
    ),
    ReasonKind.OUTSIDE: Sentence("{} % of the CPU time was used outside the stack's own turns"),
    ReasonKind.BACKGROUND: Sentence("used {} % of a core while others were loaded"),
    ReasonKind.GENERATOR_BUSY: Sentence("the generator's cores were {} % busy"),
    ReasonKind.LATE: Sentence("{} % of the requests were sent late though a connection was free"),
    ReasonKind.NOT_SENT: Sentence("{} % of the requests were not sent though the stack was idle"),
    ReasonKind.NOT_OPENED: Sentence("not all of the {} connections could be opened", _number),
    ReasonKind.OPENED_LATE: Sentence("{} connections were not open yet at the first slice", _number),
    ReasonKind.NO_PORTS: Sentence(
        "{} times there was no local port left (net.ipv4.ip_local_port_range) for a connection", _number
    ),
    ReasonKind.UNASKED_BYTES: Sentence("{} bytes came while no request was in flight", _number),
    ReasonKind.ENDED_EARLY: Sentence("the engine was ended early, by a signal or because nobody read its output"),
    ReasonKind.REFERENCE_FAILED: Sentence("failed under load, and the others are compared with it"),
}


class Alike(NamedTuple):
    """All reasons of one kind, at least one, each with the number of its block."""

    numbered: tuple[tuple[int, Reason], ...]

    @property
    def reasons(self) -> list[Reason]:
        """The reasons alone."""
        return [reason for _, reason in self.numbered]

    @property
    def blocks(self) -> list[int]:
        """The numbers of its blocks, in order."""
        return sorted({number for number, _ in self.numbered})

    @property
    def subject(self) -> str:
        """`4 stacks at 1,600/s`, or a part of it; empty if the reasons have neither arms nor rates."""
        arms = list(dict.fromkeys(reason.arm for reason in self.reasons if reason.arm is not None))
        rates = [reason.rate_per_s for reason in self.reasons if reason.rate_per_s is not None]
        words = [" and ".join(arms) if len(arms) <= NAMED_ARMS else f"{len(arms)} stacks"] if arms else []
        words += dict.fromkeys(f"on {reason.machine}" for reason in self.reasons if reason.machine is not None)
        if rates:
            words.append(f"at {_range(rates, _rate)}/s")
        return " ".join(words)

    @property
    def what(self) -> str:
        """`6.1 to 12 % of the requests were sent late`: the figure from the least to the most."""
        first = self.reasons[0]
        sentence = SENTENCES.get(first.kind)
        if sentence is None:
            return first.text or first.kind.value
        values = [reason.value for reason in self.reasons if reason.value is not None]
        words = sentence.words.format(_range(values, sentence.figure)) if values else sentence.words
        if first.kind is ReasonKind.OTHER_PROGRAMS:
            words += f": {name_programs([program for reason in self.reasons for program in reason.programs])}"
        return words

    def words(self) -> str:
        """`4 stacks at 1,600/s: 6.1 to 12 % …`."""
        return ": ".join(filter(None, (self.subject, self.what)))


def group_reasons(reasons: Iterable[tuple[int, Reason]]) -> list[Alike]:
    """The reasons by kind and machine, in order of first occurrence. `reasons`: a block's number and its reason."""
    kinds: dict[tuple[ReasonKind, str | None, str | None], list[tuple[int, Reason]]] = {}
    for number, reason in reasons:
        kinds.setdefault((reason.kind, reason.text, reason.machine), []).append((number, reason))
    return [Alike(tuple(numbered)) for numbered in kinds.values()]


def sentences(reasons: Iterable[Reason]) -> list[str]:
    """A sentence for each kind among the reasons of one block."""
    return [alike.words() for alike in group_reasons((0, reason) for reason in reasons)]


def shorten_reasons(reasons: Iterable[Reason]) -> str:
    """The first kind, and how many more there are: `nginx: the CPU was busy; and 3 more`."""
    words = sentences(reasons)
    return "; ".join([*words[:1], *([f"and {len(words) - 1} more"] if len(words) > 1 else [])])


def _rate(per_s: float) -> str:
    return f"{per_s:,.10g}"


def _range(values: Sequence[float], figure: Callable[[float], str]) -> str:
    """`6.1 to 12`, or one figure if they look alike."""
    return " to ".join(dict.fromkeys((figure(min(values)), figure(max(values)))))


def name_programs(programs: Sequence[OtherProgram], named: int = NAMED_PROGRAMS) -> str:
    """`cargo (9 processes), pytest (pid 6902) and 2 more`, those first that were named most often."""
    mentions = Counter(program.name for program in programs)
    words = []
    for name, _ in mentions.most_common(named):
        pids = {program.pid for program in programs if program.name == name}
        words.append(f"{name} (pid {min(pids)})" if len(pids) == 1 else f"{name} ({len(pids)} processes)")
    more = f" and {len(mentions) - named} more" if len(mentions) > named else ""
    return ", ".join(words) + more if words else UNSEEN
