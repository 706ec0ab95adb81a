"""What was asked of a record of capacities. Plain data."""

from __future__ import annotations

import msgspec

from hopcost.statistics.questions.capacity import DEFAULT_ERRORS, DEFAULT_TIME
from hopcost.statistics.questions.capacity.objectives import Objective


class CapacityQuestion(msgspec.Struct, frozen=True):
    """The arms of `target` (as it was named on the command line), and what a rate must hold."""

    target: str
    objectives: list[Objective]

    @property
    def options(self) -> list[str]:
        """The objectives as the command line takes them; none if they are the usual ones."""
        options = [objective.option for objective in self.objectives]
        return (
            []
            if options == [DEFAULT_TIME, DEFAULT_ERRORS]
            else [option for option in options if option != DEFAULT_ERRORS]
        )

    @property
    def words(self) -> str:
        """`p99 below 50 ms and errors below 0.1 %`."""
        *others, last = [objective.words for objective in self.objectives]
        return f"{', '.join(others)} and {last}" if others else last
