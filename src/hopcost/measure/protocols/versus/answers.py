"""What the servers answer before load: each is asked twice, and what all have in common is compared from then on."""

from __future__ import annotations

import difflib
import re
import ssl
import time
from collections.abc import Callable, Sequence

import msgspec

from hopcost.errors import CannotMeasure, UsageError
from hopcost.measure.learn.refusals import body_hint
from hopcost.measure.protocols.versus.find import Found
from hopcost.plan.cores import Cores
from hopcost.stacks.attached.request import request_of
from hopcost.stacks.attached.stack import AttachedStack
from hopcost.stacks.client.connection import NO_ANSWER, Connection, Endless, HttpAnswer
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.workload import Workload

AGAIN_S = 1.1  # what changes with the second of the clock has changed by then
LINES_SHOWN, COLUMNS_SHOWN = 20, 200
NOWHERE = Cores(stack=[], generator=[])


class Answers(msgspec.Struct, frozen=True):
    """What is compared under load, and what a person should see of answers that differ."""

    expect: Expect
    difference: list[str] = []


def compare_first_answers(
    servers: Sequence[Found], workload: Workload, *, status: int | None, any_body: bool, wait: Callable[[float], None]
) -> Answers:
    """Ask each twice; UsageError or CannotMeasure with the next step for an answer that cannot be loaded.

    `status` is that of a correct answer, None: 200 to 299. With `any_body` bodies may differ.
    """
    first = [_ask(server, workload) for server in servers]
    for server, answer in zip(servers, first, strict=True):
        _check_status(server, answer, status)
    wait(AGAIN_S)
    second = [_ask(server, workload) for server in servers]
    for server, answer, again in zip(servers, first, second, strict=True):
        if answer.status != again.status:
            raise UsageError(
                f"{server.server.url}: it answers with status {answer.status}, then with {again.status}",
                "is it limited, or still starting? vs needs a URL that always answers alike",
            )
    statuses = {answer.status for answer in first}
    if len(statuses) > 1:
        told = ", ".join(f"{server.name} {answer.status}" for server, answer in zip(servers, first, strict=True))
        raise UsageError(f"their answers have different statuses: {told}", "vs compares servers that answer alike")
    compared = Compared.STATUS if any_body else in_common([*first, *second])
    return Answers(Expect(compared=compared, status=statuses.pop()), difference_of(servers, first, second))


def in_common(answers: Sequence[HttpAnswer]) -> Compared:
    """The most that all of them have in common."""
    if len({answer.decoded for answer in answers}) == 1:
        return Compared.BODY
    return Compared.LENGTH if len({len(answer.decoded) for answer in answers}) == 1 else Compared.STATUS


def difference_of(servers: Sequence[Found], first: Sequence[HttpAnswer], second: Sequence[HttpAnswer]) -> list[str]:
    """A diff of the first server and one that answers otherwise, or of one server's two answers; none if alike."""
    for server, answer in zip(servers[1:], first[1:], strict=True):
        if answer.decoded != first[0].decoded:
            return _diff(first[0], servers[0].name, answer, server.name)
    for server, answer, again in zip(servers, first, second, strict=True):
        if answer.decoded != again.decoded:
            return _diff(answer, server.name, again, f"{server.name}, asked again")
    return []


def _diff(answer: HttpAnswer, name: str, other: HttpAnswer, its_name: str) -> list[str]:
    lines = list(difflib.unified_diff(_lines(answer), _lines(other), name, its_name, lineterm="", n=1))
    shown = [line if len(line) <= COLUMNS_SHOWN else f"{line[:COLUMNS_SHOWN]}…" for line in lines[:LINES_SHOWN]]
    return shown + (["…"] if len(lines) > LINES_SHOWN else [])


def _lines(answer: HttpAnswer) -> list[str]:
    return answer.decoded.decode("utf-8", errors="backslashreplace").splitlines()


def _ask(server: Found, workload: Workload) -> HttpAnswer:
    """One request as the load sends it."""
    unfrozen = msgspec.structs.replace(server.server, freeze=False)
    with AttachedStack(server.name, unfrozen, NOWHERE) as stack:
        request = request_of(stack.prepared, workload)
        try:
            with Connection(stack.prepared.address, workload.timeout_s) as connection:
                return connection.ask(request.target, request.headers, request.method, request.body)
        except Endless as error:
            raise CannotMeasure(
                f"{unfrozen.url}: its answer does not end within {workload.timeout_s} s",
                "vs needs a URL whose answers end; -T waits longer",
            ) from error
        except ssl.SSLCertVerificationError as error:
            raise CannotMeasure(
                f"{unfrozen.url}: its certificate is not trusted: {error.verify_message}",
                "--ca FILE trusts the authority that signed it; --insecure trusts anybody",
            ) from error
        except NO_ANSWER as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else repr(error)
            raise CannotMeasure(
                f"{unfrozen.url} cannot be reached: {why}",
                "is the server running, and does it listen there?",
            ) from error


def _check_status(server: Found, answer: HttpAnswer, status: int | None) -> None:
    """UsageError for a status that nobody expects, with what to do about it."""
    if answer.status == status or (status is None and 200 <= answer.status < 300):
        return
    url = server.server.url
    if status is not None:
        raise UsageError(
            f"{url}: it answers with status {answer.status}; --expect-status {status} expects another",
            f"--expect-status {answer.status}, or a URL that answers otherwise",
        )
    measures = f"--expect-status {answer.status} measures it all the same"
    if 300 <= answer.status < 400:
        location = re.search(r"(?im)^location:\s*(\S+)", answer.head)
        target = f" to {location[1]}" if location else ""
        raise UsageError(f"{url}: it redirects{target} (status {answer.status})", f"name that URL; {measures}")
    if answer.status in (401, 403):
        raise UsageError(f"{url}: it needs a login (status {answer.status})", f'-H "Authorization: …"; {measures}')
    if answer.status >= 500:
        raise UsageError(f"{url}: it fails with status {answer.status}", f"see its log; {measures}")
    of_body = body_hint(answer.status, server.server.method)
    hint = "is the path right? " if of_body is None else f"{of_body}; "
    raise UsageError(f"{url}: it answers with status {answer.status}", hint + measures)


def sleep(seconds: float) -> None:
    """The wait between both times."""
    time.sleep(seconds)
