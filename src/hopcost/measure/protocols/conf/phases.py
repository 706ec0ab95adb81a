"""The phases of a configuration's record: the giants, the rest together, and what is confirmed in fresh starts.

Each phase is chosen by what the record says of those before it. So the record's plan and question grow as it goes on:
a run that is killed anywhere leaves a record with all that was known by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol

import msgspec

from hopcost.measure import loop
from hopcost.measure.protocols.conf.growing import GrowingRecord
from hopcost.measure.protocols.conf.plan import ConfPlan, joined
from hopcost.measure.protocols.conf.screen import screen
from hopcost.measure.protocols.conf.suite import confirming_phases, screening_phase
from hopcost.nginx.edits import Edit
from hopcost.statistics.questions.conf.choice import (
    CHOOSING_ERROR,
    Effects,
    by_themselves,
    fixed_giants,
    in_whole,
    rest_of,
    to_confirm,
)
from hopcost.statistics.questions.conf.design import ScreenedArm, one_at_a_time, together
from hopcost.statistics.questions.conf.question import (
    BARE,
    GIANTS,
    REST,
    Diff,
    Screening,
    Unseen,
)
from hopcost.statistics.questions.conf.screened import nginx_ns_as_is, screened_effects
from hopcost.suites.arms.arm import COPY_SUFFIX

CONFIRMED_LEAST = 0.4  # of the time, however long starts took before
NO_ROOM = "no room: 11 others were screened together"


class Trials(Protocol):
    """Starts the user's files with edits, and says what they come to as a diff."""

    def refusal(self, edits: Sequence[Edit]) -> str | None:
        """Why nginx does not start with them, or answers otherwise; None if it does as before."""

    def app_refusal(self, edits: Sequence[Edit]) -> str | None:
        """How the user's app answers with them, if not as before; None also where there is no app."""

    def diff(self, edits: Sequence[Edit]) -> str:
        """The unified diff of the user's own text."""


class Phases:
    """Measures a plan's phases into a growing record; `question` is what is known by now."""

    def __init__(self, plan: ConfPlan, record: GrowingRecord, trials: Trials) -> None:
        self._plan, self._record, self._trials = plan, record, trials
        self.question = plan.question
        self._well = True

    def run(self) -> bool:
        """All phases; whether nothing that was measured failed."""
        began_s = self._record.rig.now_s()
        self._screen_giants()
        self._screen_rest()
        self._choose()
        whole_s = self._plan.time.whole_s
        self._confirm(max(whole_s - (self._record.rig.now_s() - began_s), CONFIRMED_LEAST * whole_s))
        return self._well

    def _screen_giants(self) -> None:
        alone = by_themselves(self.question.candidates, self._plan.excludes)
        if not alone:
            return
        arms = one_at_a_time([*alone, *([BARE] if BARE in self._plan.edits else [])], GIANTS)
        self._screen(Screening(GIANTS, _with_copy(arms)), self._plan.time.giants_s)

    def _screen_rest(self) -> None:
        question, plan = self.question, self._plan
        record = self._record.read()
        as_is_ns = None if record is None else nginx_ns_as_is(question, record)
        effects = {} if record is None else screened_effects(question, record, CHOOSING_ERROR)
        fixed = fixed_giants(question.candidates, effects, as_is_ns or 0.0, plan.excludes)
        rest = rest_of(question.candidates, fixed, plan.excludes)
        screened = [*by_themselves(question.candidates, plan.excludes), *rest]
        left_out = [candidate for candidate in question.candidates if candidate.name not in screened]
        unseen = [Unseen(candidate.words, candidate.places, NO_ROOM) for candidate in left_out]
        self.question = msgspec.structs.replace(question, unseen=[*question.unseen, *unseen])
        if rest:
            screening = Screening(REST, _with_copy(self._arms_of_rest(rest, fixed)), fixed)
            self._screen(screening, plan.time.rest_s)

    def _arms_of_rest(self, rest: Sequence[str], fixed: Sequence[str]) -> list[ScreenedArm]:
        """All of them together if nginx starts with each arm's changes; else one at a time: an arm that fails to
        start would take most effects of a design with it.
        """
        arms, plan = together(rest, REST), self._plan
        for arm in arms[1:]:
            if self._trials.refusal(joined(plan.edits_of(fixed), plan.edits_of(arm.changes))) is not None:
                return one_at_a_time(rest, REST)
        return arms

    def _screen(self, screening: Screening, seconds: float) -> None:
        """One start of all its arms; without a valid one the phase says nothing, and the others go on."""
        self.question = msgspec.structs.replace(self.question, screenings=[*self.question.screenings, screening])
        phase = screening_phase(self._plan, screening)
        with self._record.phase([phase], seconds, self.question) as ready:
            screen(ready, seconds)

    def _choose(self) -> None:
        """What is confirmed, and the diffs that may come of it, as far as nginx starts with them."""
        question, plan = self.question, self._plan
        record = self._record.read()
        effects = {} if record is None else screened_effects(question, record, CHOOSING_ERROR)
        confirmed, refused = self._accepted_by_app(effects)
        whole = in_whole(question.candidates, confirmed, effects, plan.excludes)
        diffs = self._diffs(whole)
        accepted = {tuple(diff.changes) for diff in diffs}
        while whole and tuple(whole) not in accepted:  # nginx starts with each of them, and not with all
            whole = whole[:-1]
        self.question = msgspec.structs.replace(
            question, confirmed=confirmed, refused=refused, whole=whole, diffs=diffs
        )

    def _accepted_by_app(self, effects: Effects) -> tuple[list[str], dict[str, str]]:
        """What is confirmed; and the changes that would have been, with how the app answers otherwise."""
        refusals: dict[str, str | None] = {}  # of each change that was tried
        while True:
            left = [candidate for candidate in self.question.candidates if refusals.get(candidate.name) is None]
            confirmed = to_confirm(left, effects)
            untried = next((name for name in confirmed if name not in refusals), None)
            if untried is None:
                return confirmed, {name: refusal for name, refusal in refusals.items() if refusal is not None}
            refusals[untried] = self._trials.app_refusal(self._plan.edits_of([untried]))

    def _diffs(self, whole: Sequence[str]) -> list[Diff]:
        """Of every choice out of these changes, together with what mends the traps."""
        diffs = []
        for size in range(len(whole) + 1):
            for changes in combinations(whole, size):
                edits = joined(self._plan.edits_of(changes), self._plan.mends)
                if edits and self._trials.refusal(edits) is None:
                    diffs.append(Diff(list(changes), self._trials.diff(edits)))
        return diffs

    def _confirm(self, seconds: float) -> None:
        phases = confirming_phases(self._plan, self.question)
        if not phases:
            return
        with self._record.phase(phases, seconds, self.question) as ready:
            self._well = loop.measure_plan(ready.plan, ready.rig, ready.writer, ready.watcher)


def _with_copy(arms: Sequence[ScreenedArm]) -> list[ScreenedArm]:
    """With the second run of the first one, which every experiment has."""
    return [*arms, ScreenedArm(arms[0].name + COPY_SUFFIX, arms[0].changes)]


def bare(plan: ConfPlan) -> list[Edit]:
    """The edits of all candidates together, but for those that one before them excludes."""
    kept: list[str] = []
    for candidate in plan.question.candidates:
        if not any(plan.excludes(candidate.name, other) for other in kept):
            kept.append(candidate.name)
    return plan.edits_of(kept)
