"""Ask an app a few times, so far apart that clocks in its answers differ."""

from __future__ import annotations

import time

from hopcost.errors import ArmFailed
from hopcost.measure.learn.refusals import quoted, why_no_answer, why_refused
from hopcost.stacks.client.connection import NO_ANSWER, Connection, HttpAnswer
from hopcost.stacks.running.stack import RunningStack
from hopcost.suites.experiments.workload import Workload

APART_S = 1.1  # a second's digit differs, and so does Date


def ask_apart(stack: RunningStack, workload: Workload) -> list[HttpAnswer]:
    """Two answers, and a third if their bodies differ; ArmFailed unless they are whole and of one good status."""
    answers = [_ask(stack, workload)]
    _refuse(stack, workload, answers[0])
    while len(answers) < 2 or (len(answers) < 3 and answers[0].decoded != answers[1].decoded):
        time.sleep(APART_S)
        answers.append(_ask(stack, workload))
        _refuse_change_of_status(stack, workload, answers)
    return answers


def _ask(stack: RunningStack, workload: Workload) -> HttpAnswer:
    received = b""
    try:
        with stack.as_client(), Connection(stack.prepared.address, workload.timeout_s) as connection:
            try:
                method, body = workload.method.value, workload.body
                return connection.ask(workload.target, workload.header_fields, method, body)
            finally:
                received = connection.received
    except NO_ANSWER as error:
        if (failure := stack.failure()) is not None:
            raise ArmFailed(stack.arm, f"it ended when it was asked: {failure}", "see the app's own log") from error
        last_lines = stack.last_lines(stack.prepared.hops[-1].name)
        raise ArmFailed(stack.arm, *why_no_answer(error, received, _words(workload), last_lines)) from error


def _refuse(stack: RunningStack, workload: Workload, answer: HttpAnswer) -> None:
    """ArmFailed for an answer that nobody wants to measure, unless the workload expects its status."""
    stack.supply.refuse_error(answer.status)
    if workload.expect.status == answer.status:
        return
    refusal = why_refused(answer, _words(workload), stack.last_lines(stack.prepared.hops[-1].name))
    if refusal is not None:
        raise ArmFailed(stack.arm, *refusal)


def _refuse_change_of_status(stack: RunningStack, workload: Workload, answers: list[HttpAnswer]) -> None:
    first, last = answers[0].status, answers[-1].status
    if first != last:
        words = f"it answers {_words(workload)} with status {first} first, and with {last} {APART_S} s later"
        words += quoted(stack.last_lines(stack.prepared.hops[-1].name))
        raise ArmFailed(stack.arm, words, "take a page that it answers alike each time: --path")


def _words(workload: Workload) -> str:
    return f"{workload.method.value} {workload.target}"
