"""What a front is worth beside a stack without it: a judgement of intervals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

import msgspec

from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.front.fronts import ALONE, EQUIVALENT, Front

OPEN_SHARE = 0.1  # of the app's CPU per request: a range that reaches so far hides something worth knowing


class Worth(Enum):
    """What came out for a front beside the stack without it, in CPU per request."""

    SAVES = "saves"
    COSTS = "costs"
    NOISE = "below the app's noise"  # real or not, nobody will see it
    OPEN = "not settled"
    NO_VERDICT = "no verdict"


class Advice(msgspec.Struct, frozen=True):
    """A front beside another arm: CPU ns per request more (less: below 0), and throughput ÷ that arm's.

    Both have an interval, those of all advice of a figure together at 95 %. `why` says why there is no verdict.
    """

    front: Front
    beside: str
    cpu: Interval | None
    throughput: Interval | None
    worth: Worth
    why: str | None = None


def judge(cpu: Interval | None, app_ns: float, margin: float) -> Worth:
    """What a difference of CPU per request means to an app that needs `app_ns` itself.

    A difference counts if its range excludes 0 and it is at least `margin` (a share) of what the app needs.

    >>> [judge(Interval(value=v, low=v - 3, high=v + 3), 100.0, 0.02).value for v in (-27, 27, 1)]
    ['saves', 'costs', "below the app's noise"]
    >>> judge(Interval(value=-20, low=-50, high=10), 100.0, 0.02).value
    'not settled'
    """
    if cpu is None or cpu.low is None or cpu.high is None:
        return Worth.NO_VERDICT
    is_real, is_large = cpu.low > 0 or cpu.high < 0, abs(cpu.value) >= margin * app_ns
    if is_real and is_large:
        return Worth.SAVES if cpu.value < 0 else Worth.COSTS
    if not is_real and max(abs(cpu.low), abs(cpu.high)) > OPEN_SHARE * app_ns:
        return Worth.OPEN
    return Worth.NOISE


def in_order(advice: Iterable[Advice]) -> list[Advice]:
    """What saves most first; what costs most last; what nobody can tell behind all."""
    ranks = {Worth.SAVES: 0, Worth.NOISE: 1, Worth.OPEN: 2, Worth.COSTS: 3, Worth.NO_VERDICT: 4}

    def key(entry: Advice) -> tuple[int, float]:
        return ranks[entry.worth], 0.0 if entry.cpu is None else entry.cpu.value

    return sorted(advice, key=key)


def best_front(advice: Sequence[Advice]) -> Front:
    """The measured stack to take if there is to be a front, plain nginx being one: what saves most beside that.

    A front of another function (a cache, TLS) is never chosen.
    """
    by_front: Mapping[Front, Advice] = {entry.front: entry for entry in advice}
    best, saved_ns = Front.NGINX, 0.0
    for front in EQUIVALENT:
        entry = by_front.get(front)
        if front is Front.NGINX or entry is None or entry.worth is not Worth.SAVES or entry.cpu is None:
            continue
        own_ns = entry.cpu.value + _saved_ns(entry.beside, by_front)
        if own_ns < saved_ns:
            best, saved_ns = front, own_ns
    return best


def as_measured(advice: Sequence[Advice], app_ns: float, margin: float) -> list[Advice]:
    """The advice as if every figure were exact, where nothing has a verdict: for a stack to show, not to recommend."""
    if any(entry.worth is not Worth.NO_VERDICT for entry in advice):
        return list(advice)
    exact = [
        entry.cpu and Interval(value=entry.cpu.value, low=entry.cpu.value, high=entry.cpu.value) for entry in advice
    ]
    return [
        msgspec.structs.replace(entry, worth=judge(cpu, app_ns, margin))
        for entry, cpu in zip(advice, exact, strict=True)
    ]


def _saved_ns(arm: str, by_front: Mapping[Front, Advice]) -> float:
    """What an arm saves beside plain nginx, as far as that is known."""
    if arm in (ALONE, Front.NGINX.value):
        return 0.0
    entry = by_front.get(Front(arm))
    return 0.0 if entry is None or entry.cpu is None else entry.cpu.value
