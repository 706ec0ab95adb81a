"""The measuring loop over sites: blocks go out, come back whole, and into the record. Only this loop writes it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence

from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.measure.sites.dispatch import FleetCourse, SiteState, Turn, by_need, seconds_of, void_block
from hopcost.measure.sites.fleet import OPENING, Arrived, Event, Lost, Progress, Sites
from hopcost.measure.sites.messages import Measure, Measured, Opened, Refused
from hopcost.measure.watcher import Watcher
from hopcost.plan.plan import LeftOut, Plan
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending, StopReason
from hopcost.record.writer import Writer, now_utc

LOOK_S = 1.0

Clock = Callable[[], float]


class Flying:
    """What a site is asked for."""

    def __init__(self, course: FleetCourse, turn: Turn, started_utc: str) -> None:
        self.course, self.turn, self.started_utc = course, turn, started_utc


class FleetLoop:
    """One run over sites that are open."""

    def __init__(
        self,
        plan: Plan,
        sites: Sites,
        names: Sequence[str],
        writer: Writer,
        watcher: Watcher,
        clock: Clock = time.monotonic,
    ) -> None:
        self.plan, self.sites, self.writer, self.watcher, self._now_s = plan, sites, writer, watcher, clock
        self.states = {name: SiteState(name) for name in names}
        self.so_far: list[Block] = []
        self.running = [FleetCourse(plan, experiment) for experiment in plan.experiments]
        self._begun: set[str] = set()
        self._flying: dict[tuple[str, str], Flying] = {}
        self._ends_s = clock() + plan.time_s
        self._all_well = True

    def measure(self) -> bool:
        """Run all experiments into the record; whether nothing that was measured failed."""
        try:
            while self.running:
                self._dispatch()
                self._take(self.sites.next_event(LOOK_S) if self.running else None)
        except KeyboardInterrupt:
            self._end_all(StopReason.INTERRUPTED, "interrupted")
            raise
        except HopcostError as error:
            self._end_all(StopReason.FAILED, error.message)
            raise
        return self._all_well

    @property
    def _living(self) -> list[str]:
        return [state.name for state in self.states.values() if state.left is None]

    def _dispatch(self) -> None:
        """Give every idle site a block, as long as there is one for it."""
        living = self._living
        if not living and not self._flying:
            reasons = "; ".join(f"{state.name}: {state.left}" for state in self.states.values())
            for course in list(self.running):
                self._end(course, Ending(course.experiment.name, StopReason.FAILED, f"no site is left: {reasons}"))
            return
        while any(self._dispatch_to(name, living) for name in living if self.states[name].is_idle):
            pass  # what one takes may free another to go on

    def _dispatch_to(self, site: str, living: Sequence[str]) -> bool:
        """Whether there was a block for it."""
        now_s = self._now_s()
        for course in by_need(self.running, site, now_s):
            seconds = seconds_of(course, self.running, len(living), self._ends_s - now_s, now_s)
            step = course.next(site, living, seconds, self.so_far)
            if isinstance(step, Ending):
                self._end(course, step)
            elif step is not None:
                self._submit(course, step, site)
                return True
        return False

    def _submit(self, course: FleetCourse, turn: Turn, site: str) -> None:
        name, step = course.experiment.name, turn.step
        if name not in self._begun:
            self._begun.add(name)
            self.watcher.experiment_begins(course.experiment)
        if step.forecast is not None:
            self.watcher.forecast(course.experiment, step.forecast)
        self.watcher.block_begins(course.experiment, step.number)
        course.begin(turn, site, self._now_s())
        self.states[site].is_idle = False
        key = f"{name}/{step.number}"
        self._flying[site, key] = Flying(course, turn, now_utc())
        order = Measure(
            plan=self.plan,
            experiment=turn.experiment,
            number=step.number,
            arms=[arm.name for arm in step.arms],
            rounds=step.rounds,
            warm_up=step.warm_up,
            rates=step.rates,
        )
        self.sites.submit(site, order, key)

    def _take(self, event: Event | None) -> None:
        match event:
            case Progress():
                self._show(event)
            case Arrived(key=key) | Lost(key=key) if key == OPENING:
                self._opened(event)
            case Arrived() | Lost():
                self._ended(event)
            case None:
                pass

    def _show(self, progress: Progress) -> None:
        flying = next((flying for (site, _), flying in self._flying.items() if site == progress.site), None)
        if flying is not None:
            self.watcher.block_begins(flying.course.experiment, flying.turn.step.number)
            self.watcher.arm_runs(progress.arm, progress.doing)

    def _opened(self, event: Arrived | Lost) -> None:
        state = self.states[event.site]
        if isinstance(event, Arrived) and isinstance(event.answer, Opened):
            state.is_idle = True
            return
        why = (
            event.why if isinstance(event, Lost) else event.answer.message if isinstance(event.answer, Refused) else "?"
        )
        self._leave(state, f"it does not come back: {why}")

    def _ended(self, event: Arrived | Lost) -> None:
        flying = self._flying.pop((event.site, event.key), None)
        if flying is None:
            return  # an answer to what is void already
        state, step = self.states[event.site], flying.turn.step
        name = flying.course.experiment.name
        block = self._block_of(event, flying)
        masked = self.writer.append(block)
        self.so_far.append(block)
        self.watcher.block_ends(masked)
        flying.course.end(block, self._now_s())
        assert block.experiment == name and block.number == step.number, "_block_of has seen to it"
        state.note(block)
        if state.left is not None:
            self._leave(state, state.left)
        elif isinstance(event, Lost) and event.site_is_gone:
            self.sites.revive(event.site)
        else:
            state.is_idle = True

    def _block_of(self, event: Arrived | Lost, flying: Flying) -> Block:
        """The block as it came, or a void one with the reason."""
        name, number = flying.course.experiment.name, flying.turn.step.number
        if isinstance(event, Lost):
            why = event.why
        elif isinstance(event.answer, Measured):
            block = event.answer.block
            if (block.experiment, block.number, block.site) == (name, number, event.site):
                for stack in event.answer.stacks:
                    self.writer.put_stack(stack.experiment, stack.arm, stack.commands, stack.files)
                return block
            why = f"{event.site}: it answers with another block"
        else:
            refused = event.answer
            why = refused.message if isinstance(refused, Refused) else "it answers something else"
            why = f"{event.site}: {why}"
        return void_block(self.plan, name, number, event.site, why, flying.started_utc)

    def _leave(self, state: SiteState, why: str) -> None:
        state.left, state.is_idle = why, False
        self.writer.site_leaves(LeftOut(name=state.name, reason=why))

    def _end(self, course: FleetCourse, ending: Ending) -> None:
        self.running.remove(course)
        self.writer.end_experiment(ending)
        self.watcher.experiment_ends(ending)
        self._all_well = self._all_well and ending.why != StopReason.FAILED and not course.finished.failed_arms

    def _end_all(self, why: StopReason, detail: str) -> None:
        for course in self.running:
            with contextlib.suppress(MeasurementFailed):
                self.writer.end_experiment(Ending(experiment=course.experiment.name, why=why, detail=detail))
