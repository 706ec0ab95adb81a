"""Learn an app that runs, before it is measured: its answers, its idle connections, its warm-up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.measure.learn.answers import APART_S, ask_apart
from hopcost.measure.learn.changes import Changes, fields_of, find_changes
from hopcost.measure.learn.idle import WATCHED_S, Keeping, watch_idle
from hopcost.measure.learn.learned import Learned
from hopcost.measure.learn.load import Course, load_until_warm, refuse_errors
from hopcost.measure.learn.warm_up import Stretch, Warmth
from hopcost.measure.rig import Rig
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.running.stack import RunningStack
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.workload import Workload

COMPARED = {
    Compared.MASKED: "answers are compared but for what changes in their body",
    Compared.LENGTH: "answers are compared by status and length: most of the body changes",
    Compared.STATUS: "answers are compared by their status alone: their length changes",
}
UNDER_LOAD = {
    Compared.LENGTH: "answers are compared by status and length: their bodies change under load",
    Compared.STATUS: "answers are compared by their status alone: their bodies change under load",
}
ENCODED = "under load compressed answers are compared by their status alone: their length changes"


def learn_app(
    stack: RunningStack, workload: Workload, rig: Rig, say: Callable[[str], None], keeping: Keeping | None = None
) -> Learned:
    """What a measurement must know of the app, the last hop of this stack, which has answered nothing yet.

    `say` hears what is being done. `keeping` is what is known of its idle connections; None: one is watched. ArmFailed,
    with what to do, if the app cannot be measured as it answers.
    """
    app = stack.prepared.hops[-1].name
    say(f"{app}: asked twice, {APART_S} s apart")
    answers = ask_apart(stack, workload)
    changes = find_changes(answers)
    if keeping is None:
        say(f"{app}: one idle connection is watched, {WATCHED_S:g} s at most")
        keeping = watch_idle(stack, workload)
    say(f"{app}: loaded over {workload.connections} connections until its CPU time per request stays")
    is_asked = workload.expect.compared is not Compared.BODY
    asked = msgspec.structs.replace(workload.expect, status=answers[0].status)
    expect = asked if is_asked else changes.expect
    learned, course = _load(stack, workload, answers[0], rig, expect, say)
    is_looser = learned != expect
    words = UNDER_LOAD if is_looser else {} if is_asked else COMPARED
    warmth = course.warmth()
    if warmth.cpu_us_per_request is None:
        raise MeasurementFailed(
            f"the CPU time of {app} cannot be read: processes of it came and went under load",
            "processes that come and go are counted by a cgroup, which hopcost cannot make here: hopcost doctor",
        )
    return Learned(
        expect=learned,
        changing=[*changes.fields, *changes.body, *(["the body under load"] if is_looser else [])],
        status=answers[0].status,
        body_bytes=len(answers[0].decoded),
        content_type=next((text for name, text in fields_of(answers[0].head) if name.lower() == "content-type"), None),
        headers=fields_of(answers[0].head),
        keeps_connections=keeping.keeps_connections,
        idle_timeout_s=keeping.idle_timeout_s,
        warm_up_requests=warmth.warm_up_requests,
        warm_up_s=warmth.warm_up_s,
        ready_s=stack.ready_after_s[app],
        cpu_us_per_request=warmth.cpu_us_per_request,
        throughput_per_s=warmth.throughput_per_s,
        processes=len(stack.processes[app]),
        notes=[
            *_notes_of_answers(changes, learned, answers[0], words),
            *([] if keeping.note is None else [keeping.note]),
            *_notes_of_load(warmth, course),
        ],
    )


def _load(
    stack: RunningStack, workload: Workload, answer: HttpAnswer, rig: Rig, expect: Expect, say: Callable[[str], None]
) -> tuple[Expect, Course]:
    """The load until the app is warm.

    If bodies turn out to change under load, the load goes on with less compared. If all its errors are time-outs, it
    begins anew, once: an app may stand still as it fills a cache, a virtual machine as its host serves other guests.
    """
    is_asked = workload.expect.compared is not Compared.BODY
    before: list[Stretch] = []
    lost: Counter[str] = Counter()
    while True:
        loaded = msgspec.structs.replace(workload, expect=expect)
        course = load_until_warm(stack, loaded, answer, rig, before)
        wrong = set(course.errors) if course.fails else set()
        if wrong == {"timeout"} and not lost:
            lost = course.errors
            say(f"{stack.prepared.hops[-1].name}: loaded once more: requests timed out ({lost.total()})")
        elif wrong == {"body"} and not is_asked and expect.compared is not Compared.STATUS:
            less = Compared.STATUS if expect.compared is Compared.LENGTH else Compared.LENGTH
            expect, before = Expect(less, expect.status), course.slices
        else:
            refuse_errors(stack, workload, course)
            course.errors.update(lost)
            return expect, course


def _notes_of_answers(changes: Changes, expect: Expect, answer: HttpAnswer, words: Mapping[Compared, str]) -> list[str]:
    """What is compared of answers that change, and what is not."""
    notes = []
    if changes.fields:
        notes.append(f"these header fields change, and are not compared: {', '.join(changes.fields)}")
    if expect.compared in words:
        notes.append(words[expect.compared])
    if check.compared_under_load(answer, expect) is not expect.compared:
        notes.append(ENCODED)
    return notes


def _notes_of_load(warmth: Warmth, course: Course) -> list[str]:
    """What the warm-up left open."""
    notes = []
    if not warmth.is_settled:
        change = "" if warmth.change is None else f": it changed by {100 * warmth.change:.0f} % at last"
        notes.append(f"its CPU time per request had not settled when the time for its warm-up was over{change}")
    if course.errors:
        notes.append(f"requests of its warm-up without a correct answer: {course.errors.total()}")
    return notes
