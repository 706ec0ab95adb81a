"""Load one running app by the engine until it is warm, or fails."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.measure.learn import warm_up
from hopcost.measure.learn.refusals import quoted
from hopcost.measure.learn.warm_up import Stretch, Warmth
from hopcost.measure.load.arm import engine_arm
from hopcost.measure.rig import Rig
from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Slice, WarmedUp
from hopcost.programs.generators.engine_plan import EnginePlan, WarmUp
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.running.stack import RunningStack
from hopcost.statistics.figures import total
from hopcost.suites.experiments.workload import Workload

SLICE_NS = 100_000_000
JUDGED_REQUESTS = 1000  # from so many on errors end the load
KINDS = {"status": "of another status", "body": "of another body"}  # of errors, as they are told
END_IS_TOLD_S = 1.0  # within which a program's end is known, after its connections broke


class Course(msgspec.Struct):
    """What a load came to so far: its slices, correct answers, and errors by kind.

    The slices begin with those of loads before. Their requests are those with a whole answer, of whichever body.
    """

    slices: list[Stretch]
    answers: int = 0
    errors: Counter[str] = msgspec.field(default_factory=Counter)

    def add(self, answers: int, errors: Mapping[str, int], elapsed_ns: int, cpu_ns: int | None) -> None:
        """A slice has ended."""
        self.slices.append(Stretch(answers + errors.get("body", 0), elapsed_ns, cpu_ns))
        self.answers += answers
        self.errors.update(errors)

    @property
    def stretches(self) -> list[Stretch]:
        """The slices in stretches; in one if they are too few."""
        return warm_up.cut(self.slices) or [warm_up.together(self.slices)]

    @property
    def error_share(self) -> float:
        """Errors as a share of all that came of requests."""
        errors = self.errors.total()
        return errors / max(1, errors + self.answers)

    @property
    def fails(self) -> bool:
        """Whether errors are more than an arm with a verdict may have."""
        return self.error_share > METHOD.max_error_share

    def warmth(self) -> Warmth:
        """When it was warm."""
        return warm_up.summarise(self.stretches)


def load_until_warm(
    stack: RunningStack, workload: Workload, answer: HttpAnswer, rig: Rig, before: Sequence[Stretch] = ()
) -> Course:
    """The course of a closed loop until CPU per request stays; it breaks off at errors.

    `before` are the slices of a load that broke off. MeasurementFailed if the engine fails; ArmFailed if a program of
    the stack has ended.
    """
    arm = engine_arm(stack, workload, [answer])
    arm.freeze = None  # it is alone
    plan = EnginePlan(
        seed=0,
        cores=stack.prepared.cores.generator,
        slice_ns=SLICE_NS,
        settle_ns=0,
        rounds=int(warm_up.MOST_S * 1e9 / SLICE_NS),
        warm_up=WarmUp(least_ns=1, most_ns=SLICE_NS),  # a slice of the engine's own: the first one here
        arms=[arm],
        shared_cores=stack.prepared.cores.shared,
    )
    course = Course(slices=list(before))
    with contextlib.closing(rig.run_engine(plan)) as lines:
        for line in lines:
            match line:
                case WarmedUp():
                    course.errors.update(line.errors)
                    for answers, elapsed_ns, cpu_ns in zip(
                        line.answers, line.slices_elapsed_ns, line.cpu_ns, strict=True
                    ):
                        course.add(answers, {}, elapsed_ns, cpu_ns)
                case Slice():
                    course.add(line.answers, line.errors, line.elapsed_ns, total(line.cpu_ns.values()))
                case _:
                    continue
            if course.fails and course.errors.total() + course.answers >= JUDGED_REQUESTS:
                break
            if warm_up.is_over(warm_up.cut(course.slices)):
                break
    if len(course.slices) == len(before):
        raise MeasurementFailed(f"the load engine said nothing of {stack.arm}")
    _refuse_end(stack, course)
    return course


def _refuse_end(stack: RunningStack, course: Course) -> None:
    """ArmFailed if a program has ended: after errors that may come of it, its end is waited for."""
    deadline = time.monotonic() + (END_IS_TOLD_S if course.fails else 0.0)
    while (failure := stack.failure()) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    if failure is not None:
        words = f"under load, after {course.answers} answers: {failure}"
        raise ArmFailed(stack.arm, words, "does a setting end it after so many requests, or does it run out of memory?")


def refuse_errors(stack: RunningStack, workload: Workload, course: Course) -> None:
    """ArmFailed if too many requests had no correct answer."""
    if not course.fails and course.answers:
        return
    kinds = ", ".join(f"{number} {KINDS.get(kind, kind)}" for kind, number in course.errors.most_common())
    under_load = f"under load with {workload.connections} connections"
    words = f"{under_load} {100 * course.error_share:.1f} % of its answers are errors ({kinds})"
    if not course.errors:
        words = f"{under_load} it answers nothing"
    last_lines = stack.last_lines(stack.prepared.hops[-1].name)
    hint = "try fewer connections; or a limit of its own stops it: requests per second, files, database connections"
    raise ArmFailed(stack.arm, words + quoted(last_lines), hint)
