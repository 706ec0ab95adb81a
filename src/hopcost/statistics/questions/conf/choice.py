"""What the next phase measures, out of what the screening showed. Pure.

The intervals of a screening are those of one start, so that what they choose is chosen generously, and decided by the
confirmation alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.design import MOST_FACTORS
from hopcost.statistics.questions.conf.question import Candidate

Effects = Mapping[str, Interval | None]
Excludes = Callable[[str, str], bool]  # whether two changes touch the same text, so that no arm can have both

MOST_CONFIRMED = 3
GIANT_SHARE = 0.1  # of the request's CPU: a giant that saves less stays where it is, and disturbs nobody there
CHOOSING_ERROR = 0.2  # of each interval by itself


def by_themselves(candidates: Sequence[Candidate], excludes: Excludes) -> list[str]:
    """What is screened one at a time: the giants, and what another change to the same text leaves no room for."""
    beside = _beside(candidates, [], excludes)
    return [candidate.name for candidate in candidates if candidate.is_giant or candidate.name not in beside]


def fixed_giants(candidates: Sequence[Candidate], effects: Effects, as_is_ns: float, excludes: Excludes) -> list[str]:
    """The giants that are better made than not, the one that saves most first: the next phase has them in all arms.

    None that excludes what may stand in the diff.
    """
    offered = [candidate.name for candidate in candidates if candidate.is_offered and not candidate.is_giant]
    saving = [
        giant.name
        for giant in candidates
        if giant.is_giant
        and _saves(effects.get(giant.name), GIANT_SHARE * as_is_ns)
        and not any(excludes(giant.name, name) for name in offered)
    ]
    return _compatible(sorted(saving, key=lambda name: _value(effects, name)), excludes)


def rest_of(candidates: Sequence[Candidate], fixed: Sequence[str], excludes: Excludes) -> list[str]:
    """What is screened together: all but the giants, as many as a design holds, none that the others exclude."""
    return _beside(candidates, fixed, excludes)[:MOST_FACTORS]


def _beside(candidates: Sequence[Candidate], fixed: Sequence[str], excludes: Excludes) -> list[str]:
    """The changes that fit beside each other and what is fixed; those that may stand in the diff come first."""
    free = [candidate for candidate in candidates if not candidate.is_giant]
    by_use = sorted(free, key=lambda candidate: not candidate.is_offered)
    names = [candidate.name for candidate in by_use]
    return [name for name in _compatible([*fixed, *names], excludes) if name not in fixed]


def to_confirm(candidates: Sequence[Candidate], effects: Effects) -> list[str]:
    """The top three: first what may stand in the diff and seems to save, then what moves CPU time most."""
    known = [candidate for candidate in candidates if effects.get(candidate.name) is not None]
    by_size = sorted(known, key=lambda candidate: -abs(_value(effects, candidate.name)))
    gains = [candidate for candidate in by_size if candidate.is_offered and _saves(effects[candidate.name], 0.0)]
    others = [candidate for candidate in by_size if candidate not in gains]
    return [candidate.name for candidate in [*gains, *others][:MOST_CONFIRMED]]


def in_whole(
    candidates: Sequence[Candidate], confirmed: Sequence[str], effects: Effects, excludes: Excludes
) -> list[str]:
    """Of what is confirmed the changes of the whole diff: offered, and cheaper as far as the screening knows."""
    offered = {candidate.name for candidate in candidates if candidate.is_offered}
    gains = [name for name in confirmed if name in offered and _value(effects, name) < 0]
    return _compatible(gains, excludes)


def _compatible(names: Sequence[str], excludes: Excludes) -> list[str]:
    """The names without those that one before them excludes."""
    kept: list[str] = []
    for name in names:
        if not any(excludes(name, other) for other in kept):
            kept.append(name)
    return kept


def _saves(effect: Interval | None, least_ns: float) -> bool:
    """Whether its range is below 0, and it saves at least so much."""
    return effect is not None and effect.high is not None and effect.high < 0 and -effect.value >= least_ns


def _value(effects: Effects, name: str) -> float:
    effect = effects.get(name)
    return 0.0 if effect is None else effect.value
