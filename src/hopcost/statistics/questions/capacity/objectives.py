"""What a rate must hold, as people write it: `p99<50ms`, `errors<0.1%`.

Every objective is a share of requests: so many may be slow, so many may fail.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import UsageError
from hopcost.statistics.questions.capacity import DEFAULT_ERRORS, DEFAULT_TIME

QUANTILE = re.compile(r"p(\d{1,2}(?:\.\d{1,2})?|999)\s*<=?\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s)", re.IGNORECASE)
ERRORS = re.compile(r"errors?\s*<=?\s*(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)
UNITS_NS = {"us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
WORDS_OF_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
LEAST_QUANTILE, MOST_QUANTILE = 50.0, 99.99
LEAST_NS, MOST_NS = 10_000, 60_000_000_000
LEAST_ERRORS, MOST_ERRORS = 0.001, 50.0  # per cent
HINTS = {  # what begins so is no objective, and why
    "mean": "a mean hides the slow requests: p50<20ms or p99<50ms",
    "avg": "a mean hides the slow requests: p50<20ms or p99<50ms",
    "max": "the slowest of all gets slower the longer one looks: p99.9<200ms",
}
USUAL_HINT = "like p99<50ms, p50<5ms or errors<0.1%"


class Objective(msgspec.Struct, frozen=True):
    """At most `share` of the requests may be slow, which is `time_ns` and longer; without a time: may fail."""

    share: Annotated[float, Meta(description="of the requests that may miss it: 0.01 for p99")]
    time_ns: Annotated[int | None, Meta(description="what a request must stay below; null: it must not fail")] = None

    @property
    def name(self) -> str:
        """`p99` or `errors`."""
        return "errors" if self.time_ns is None else f"p{_plain(100 * (1 - self.share))}"

    @property
    def limit(self) -> str:
        """`50 ms` or `0.1 %`."""
        return f"{_plain(100 * self.share)} %" if self.time_ns is None else time_words(self.time_ns)

    @property
    def words(self) -> str:
        """As sentences have it.

        >>> Objective(0.01, 50_000_000).words, Objective(0.001).words
        ('p99 below 50 ms', 'errors below 0.1 %')
        """
        return f"{self.name} below {self.limit}"

    @property
    def option(self) -> str:
        """As the command line takes it.

        >>> Objective(0.001, 1_500_000).option
        'p99.9<1.5ms'
        """
        return f"{self.name}<{self.limit.replace(' ', '').replace('µ', 'u')}"


def time_words(ns: float) -> str:
    """A limit as people write it.

    >>> time_words(50e6), time_words(1.5e9), time_words(200e3)
    ('50 ms', '1.5 s', '200 µs')
    """
    unit, length_ns = next(((unit, ns_each) for unit, ns_each in WORDS_OF_UNITS if ns >= ns_each), WORDS_OF_UNITS[-1])
    return f"{_plain(ns / length_ns)} {unit}"


def _plain(value: float) -> str:
    return f"{round(value, 6):g}"


def read_objectives(texts: Sequence[str]) -> list[Objective]:
    """The objectives that these words name; the usual ones without a word.

    Errors are always limited: a server that refuses quickly carries nothing. UsageError with the remedy for words that
    are no objective, and for objectives of which one makes another pointless.

    >>> [objective.words for objective in read_objectives([])]
    ['p99 below 50 ms', 'errors below 0.1 %']
    >>> [objective.option for objective in read_objectives(["errors<1%"])], read_objectives(["p999<1s"])[0].name
    (['errors<1%'], 'p99.9')
    """
    objectives = [read_objective(text) for text in texts or [DEFAULT_TIME]]
    if all(objective.time_ns is not None for objective in objectives):
        objectives.append(read_objective(DEFAULT_ERRORS))
    _refuse_contradictions(objectives)
    return objectives


def read_objective(text: str) -> Objective:
    """One objective; UsageError for anything else."""
    word = text.strip()
    if quantile := QUANTILE.fullmatch(word):
        percent = 99.9 if quantile[1] == "999" else float(quantile[1])
        time_ns = round(float(quantile[2]) * UNITS_NS[quantile[3].lower()])
        if not LEAST_QUANTILE <= percent <= MOST_QUANTILE:
            raise _refusal(text, f"a quantile from p{LEAST_QUANTILE:g} to p{MOST_QUANTILE:g}")
        if not LEAST_NS <= time_ns <= MOST_NS:
            raise _refusal(text, f"a time from {time_words(LEAST_NS)} to {time_words(MOST_NS)}")
        return Objective(share=round(1 - percent / 100, 8), time_ns=time_ns)
    if errors := ERRORS.fullmatch(word):
        percent = float(errors[1])
        if not LEAST_ERRORS <= percent <= MOST_ERRORS:
            raise _refusal(text, f"a share from {LEAST_ERRORS:g}% to {MOST_ERRORS:g}%")
        return Objective(share=round(percent / 100, 8))
    hint = next((hint for start, hint in HINTS.items() if word.lower().startswith(start)), USUAL_HINT)
    raise _refusal(text, "pQ<TIME or errors<PERCENT", hint)


def _refusal(text: str, expected: str, hint: str = USUAL_HINT) -> UsageError:
    return UsageError(f"--objective '{text}': expected {expected}", hint)


def _refuse_contradictions(objectives: Sequence[Objective]) -> None:
    """Two limits of one quantile or of errors; or a lower quantile that is allowed more time than a higher one."""
    names = [objective.name for objective in objectives]
    for name in names:
        if names.count(name) > 1:
            both = " and ".join(objective.option for objective in objectives if objective.name == name)
            raise UsageError(f"--objective: {both} are two limits of {name}", "name one of them")
    timed = [objective for objective in objectives if objective.time_ns is not None]
    for lower in timed:
        for higher in timed:
            if lower.share > higher.share and (lower.time_ns or 0) >= (higher.time_ns or 0):
                raise UsageError(
                    f"--objective: {lower.option} says nothing beside {higher.option}:"
                    f" {lower.name} is never above {higher.name}",
                    f"give {lower.name} less time, or leave it out",
                )
