"""The time of a run: how much has passed, and how much is left until all its experiments are expected to end."""

from __future__ import annotations

import time
from collections.abc import Iterable

from hopcost.plan.plan import Plan
from hopcost.plan.slices import least_time_s
from hopcost.statistics.precision.precision import Forecast


class Clock:
    """Starts with the run. While a block of an experiment runs, the others' own time stands still."""

    def __init__(self, plan: Plan) -> None:
        """The time is the plan's; what the first starts take, if that is more."""
        self._start_s = self._since_s = time.monotonic()
        self._end_s = self._start_s + max(plan.time_s, least_time_s(plan))
        self._current = ""  # the experiment whose time passes since `_since_s`
        self._own_s: dict[str, float | None] = {experiment.name: None for experiment in plan.experiments}

    def begin(self, experiment: str) -> None:
        """A block of the experiment begins."""
        if self._current in self._own_s:
            self._own_s[self._current] = self._own_left_s(self._current)
        self._current, self._since_s = experiment, time.monotonic()

    def expect(self, experiment: str, forecast: Forecast) -> None:
        """The experiment's next block is about to begin, and it takes so much time of its own from then on."""
        self.begin(experiment)
        self._own_s[experiment] = forecast.seconds

    def end(self, experiment: str) -> None:
        """The experiment takes no more time."""
        self._own_s.pop(experiment, None)

    @property
    def passed_s(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._start_s

    @property
    def left_s(self) -> float:
        """Seconds until all experiments are expected to end; if that is not known of one, until the time is over."""
        most_s = max(0.0, self._end_s - time.monotonic())
        own_s = [self._own_left_s(experiment) for experiment in self._own_s]
        known_s = [seconds for seconds in own_s if seconds is not None]
        return min(most_s, sum(known_s)) if len(known_s) == len(own_s) else most_s

    @property
    def share(self) -> float:
        """The share of the run's expected time that has passed."""
        return self.passed_s / max(self.passed_s + self.left_s, 1e-9)

    def _own_left_s(self, experiment: str) -> float | None:
        """What the experiment still takes of its own time; None if no block has told yet."""
        seconds = self._own_s.get(experiment)
        if seconds is None or experiment != self._current:
            return seconds
        return max(0.0, seconds - (time.monotonic() - self._since_s))


def minutes(seconds: float) -> str:
    """Minutes and seconds.

    >>> minutes(9.4), minutes(125), minutes(4000)
    ('0:09', '2:05', '66:40')
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def widest_that_fits(forms: Iterable[str], width: int) -> str:
    """The first of these forms of a line that is not wider than that; the last one if none is.

    >>> widest_that_fits(["0:41 of 1:48, 1:07 left", "1:07 left"], 12)
    '1:07 left'
    """
    form = ""
    for form in forms:
        if len(form) <= width:
            break
    return form
