"""Restarts under an offered load: each copy of a program in turn, while connections ask and visitors come.

Nothing is frozen: the arm is alone. Its restarts begin when its warm-up has ended, and end before its slice does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec

from hopcost.errors import HopcostError
from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.load.engine import engine_plan, run_engine_plan
from hopcost.measure.load.part import Part, answer_to_keep
from hopcost.measure.load.visits import Visit, failed_by_kind, longest_gap_ns, visit
from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import End, Validity
from hopcost.programs.generators.engine_plan import Rate, WarmUp
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.restart import RestartedCopy, RestartRun
from hopcost.stacks.stack import hop_names
from hopcost.suites.experiments.restart import Restart

LATE = "the offered load ended before the last restart did"
NOT_BACK = f"for {METHOD.restart_patience_s:g} s after the restarts no visitor had an answer"


def load_restarting(context: BlockContext, block: Block, ready: CheckedArm, restart: Restart) -> None:
    """Load one arm while its copies of the program are restarted, and put the result into the block.

    ArmFailed if a copy does not start again.
    """
    rig, stack = context.rig, ready.stack
    copies = [hop.name for hop in stack.prepared.hops if hop.program == restart.program]
    starting_s = sum(rig.ready_after_s(stack).get(copy, 0.0) for copy in copies)
    warm_up = WarmUp(METHOD.min_long_warm_up_ns, METHOD.min_long_warm_up_ns)
    work = engine_plan(context, [ready], block.seed, METHOD.open_warm_up_ns, 1, warm_up)
    (arm,) = work.arms
    arm.slice_ns = context.experiment.slice_ns + round(2e9 * starting_s)
    arm.arrivals = {"poisson": Rate(rate_per_s=restart.rate_per_s)}
    arm.freeze = None
    part = Part(ready)
    course = _Course(context, ready, copies)
    try:
        end = run_engine_plan(context, block, work, {ready.arm.name: part}, on_warmed_up=course.begin)
    except BaseException:
        course.cancel()
        raise
    finally:
        course.wait()
    if course.failure is not None:
        raise course.failure
    block.end = _without_suspicions(end)
    block.slices_elapsed_ns = sum(line.elapsed_ns for line in part.slices)
    block.arms = [
        ArmBlock(
            name=ready.arm.name,
            copy_of=ready.arm.copy_of,
            hops=hop_names(stack),
            check=answer_to_keep(ready.answer),
            warm_up=None,
            slices=[],
            totals=None,
            surroundings=part.surroundings(part.slices),
            memory=stack.memory(),
            notes=course.notes(block.slices_elapsed_ns),
            restarted=course.result(restart, part),
        )
    ]


class _Course:
    """The restarts of one arm and the visitors meanwhile, each in a thread of its own."""

    def __init__(self, context: BlockContext, ready: CheckedArm, copies: list[str]) -> None:
        self.failure: HopcostError | None = None
        self.took_s = 0.0
        self._workload, self._rig, self._watcher = context.experiment.workload, context.rig, context.watcher
        self._ready, self._names = ready, copies
        self._copies: list[RestartedCopy] = []
        self._visits: list[Visit] = []
        self._is_over, self._is_cancelled = threading.Event(), threading.Event()
        self._threads = [self._thread(self._restart_all), self._thread(self._receive)]

    def begin(self) -> None:
        """The arm is warm."""
        self._watcher.arm_runs(self._ready.arm.name, "restarts of")
        for thread in self._threads:
            thread.start()

    def cancel(self) -> None:
        """No more restarts, and no more visitors."""
        self._is_cancelled.set()
        self._is_over.set()

    def wait(self) -> None:
        """Until all is over; also if it never began."""
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def result(self, restart: Restart, part: Part) -> RestartRun:
        """What became of it."""
        errors: dict[str, int] = {}
        for kind, number in (item for line in part.slices for item in line.errors.items()):
            errors[kind] = errors.get(kind, 0) + number
        return RestartRun(
            rate_per_s=restart.rate_per_s,
            copies=self._copies,
            visits=len(self._visits),
            failed=failed_by_kind(self._visits),
            longest_gap_ns=longest_gap_ns(self._visits),
            sent=sum(line.sent for line in part.slices),
            answers=sum(line.answers for line in part.slices),
            errors=errors,
        )

    def notes(self, load_ns: int) -> list[str]:
        """What limits the figures, after a load of this length."""
        is_not_back = bool(self._visits) and self._visits[-1].failure is not None
        return [LATE] * (self.took_s * 1e9 > load_ns) + [NOT_BACK] * is_not_back

    def _thread(self, work: Callable[[], None]) -> threading.Thread:
        return threading.Thread(target=self._run, args=(work,), daemon=True)

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except HopcostError as error:
            self.failure = error
            self._is_cancelled.set()
        finally:
            self._is_over.set()

    def _restart_all(self) -> None:
        began_s = self._rig.now_s()
        self._rig.sleep_s(METHOD.restart_pause_s)
        for name in self._names:
            if self._is_over.is_set():
                return
            times = self._rig.restart(self._ready.stack, name)
            self._copies.append(RestartedCopy(name, times.stopping_ns, times.starting_ns))
            self._rig.sleep_s(METHOD.restart_pause_s)
        self.took_s = self._rig.now_s() - began_s

    def _receive(self) -> None:
        status = self._ready.answer.status
        over_s: float | None = None
        while not self._is_cancelled.is_set():
            if over_s is None and self._is_over.is_set():
                over_s = self._rig.now_s()
            last = visit(self._rig, self._ready.stack, self._workload, status)
            self._visits.append(last)
            if over_s is not None and (last.failure is None or last.ended_s - over_s > METHOD.restart_patience_s):
                return
            self._rig.sleep_s(max(0.0, METHOD.visit_every_s - (last.ended_s - last.began_s)))


def _without_suspicions(end: End) -> End:
    """What the engine suspects of the load is what was looked for: connections that break, requests never sent."""
    return end if end.validity is Validity.VOID else msgspec.structs.replace(end, validity=Validity.VALID, reasons=[])
