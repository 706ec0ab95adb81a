"""The arms answer alike: one request to each before load, compared with the baseline's answer.

Bodies are compared decoded, as the client reads them; the engine then compares answers with the raw bytes of their arm.
How much of them is compared, the workload says (`expect`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from hopcost.errors import ArmFailed
from hopcost.programs.generators import engine_plan
from hopcost.record.secrets import mask_text
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import CHECK_S, NO_ANSWER, Connection, HttpAnswer
from hopcost.suites.experiments.expect import Compared, Expect, blank
from hopcost.suites.experiments.workload import Workload

EVERY_BYTE = Expect()
LOOK = "its log and its configuration say why; hopcost up starts one stack, for curl"
MAY_DIFFER = "workload.expect says what may differ; hopcost up starts one stack, for curl"


def ask(
    arm: str,
    address: Address,
    target: str,
    headers: Sequence[tuple[str, str]] = (),
    method: str = "GET",
    body: bytes | None = None,
    timeout_s: float = CHECK_S,
) -> HttpAnswer:
    """The arm's answer to one request on a connection of its own; ArmFailed if there is none or it is not HTTP.

    `header_bytes` counts from the status line to the empty line, as `curl -sI | wc -c` does.
    """
    try:
        with Connection(address, timeout_s) as connection:
            return connection.ask(target, headers, method, body)
    except NO_ANSWER as error:
        url = mask_text(f"{address.url}{target}")
        raise ArmFailed(arm, f"no answer to the check: {method} {url}: {error!r}", LOOK) from error


def ask_as_loaded(arm: str, address: Address, workload: Workload) -> HttpAnswer:
    """The arm's answer to a request of its workload; as `ask`."""
    method, timeout_s = workload.method.value, max(CHECK_S, workload.timeout_s)
    return ask(arm, address, workload.target, workload.header_fields, method, workload.body, timeout_s)


def check_answer(arm: str, answer: HttpAnswer, expect: Expect) -> None:
    """ArmFailed unless an arm's first answer has the expected status, and a body as long as what is masked in it."""
    if expect.status not in (None, answer.status):
        raise ArmFailed(arm, f"it answers with status {answer.status}; {expect.status} is expected", LOOK)
    for from_, to in expect.masked:
        if to > len(answer.decoded):
            words = f"its body has {len(answer.decoded)} bytes; those from {from_} to {to} are to be masked"
            raise ArmFailed(arm, words, "workload.expect: masked counts in the body of the answer, decoded")


def compare_answers(
    baseline: str, expected: HttpAnswer, arm: str, answer: HttpAnswer, expect: Expect = EVERY_BYTE
) -> None:
    """ArmFailed with a diff unless the answer is the baseline's in what is compared: status, decoded body, or less.

    Header bytes may differ, and are shown. Any status will do if all arms have it.
    """
    if _compared_part(answer, expect) == _compared_part(expected, expect):
        return
    difference = difflib.unified_diff(
        _lines(expected, expect), _lines(answer, expect), f"{baseline} (baseline)", arm, lineterm="", n=1
    )
    raise ArmFailed(arm, "it answers otherwise than the baseline:\n" + mask_text("\n".join(difference)), MAY_DIFFER)


def _compared_part(answer: HttpAnswer, expect: Expect) -> tuple[int, bytes | int | None]:
    match expect.compared:
        case Compared.BODY:
            return answer.status, answer.decoded
        case Compared.MASKED:
            return answer.status, blank(answer.decoded, expect.masked)
        case Compared.LENGTH:
            return answer.status, len(answer.decoded)
        case Compared.STATUS:
            return answer.status, None


def _lines(answer: HttpAnswer, expect: Expect) -> list[str]:
    status, part = _compared_part(answer, expect)
    if not isinstance(part, bytes):
        return [f"status {status}", *([] if part is None else [f"body of {part} bytes"])]
    body = part.decode("utf-8", errors="backslashreplace").splitlines()
    shown = [line if len(line) <= 200 else f"{line[:200]}… ({len(line)} characters)" for line in body[:40]]
    return [f"status {status}", f"body of {len(part)} bytes:", *shown]


def compared_under_load(answer: HttpAnswer, expect: Expect) -> Compared:
    """What the engine compares of every answer of an arm that answers so.

    It compares bodies as they are sent. Compressed, a body of other bytes has another length: the status is left.
    """
    is_encoded = answer.content_encoding not in (None, "identity")
    return Compared.STATUS if is_encoded and expect.compared is not Compared.BODY else expect.compared


def expect_under_load(answer: HttpAnswer, expect: Expect) -> engine_plan.Expect:
    """The same in the words of the engine's plan, by the arm's own answer."""
    match compared_under_load(answer, expect):
        case Compared.BODY:
            return engine_plan.engine_expect(answer.status, answer.body)
        case Compared.MASKED:
            return engine_plan.engine_expect(answer.status, answer.body, masked=expect.masked)
        case Compared.LENGTH:
            return engine_plan.engine_expect(answer.status, None, length=len(answer.body))
        case Compared.STATUS:
            return engine_plan.engine_expect(answer.status, None)


def names_of_header_fields(answer: HttpAnswer) -> list[str]:
    """The header fields in the order they came, for the record."""
    return re.findall(r"^([!#-'*+.0-9A-Z^_`a-z|~-]+):", answer.head, flags=re.MULTILINE)
