"""Receipts: what counts as one, and that a lie is found out."""

from __future__ import annotations

import gzip
import os

import pytest

from hopcost.programs.definition.settings import ReceiptKind
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.sandbox import usage
from hopcost.stacks.under_load import receipts


def answer(body: bytes, encoding: str | None = None) -> HttpAnswer:
    return HttpAnswer(status=200, head="", header_bytes=0, body=body, content_encoding=encoding)


PLAIN, PACKED, HELLO = answer(b"a" * 100), answer(gzip.compress(b"a" * 100), "gzip"), answer(b"Hello World\n")


@pytest.mark.parametrize(
    ("value", "accepts", "got", "holds"),
    [
        (True, True, PACKED, True),
        (True, True, PLAIN, False),
        (True, False, PLAIN, None),
        (True, True, HELLO, None),  # too short to be worth it
        (False, True, PLAIN, True),
        (False, True, PACKED, False),
    ],
)
def test_gzip_shows_in_the_content_encoding(value: bool, accepts: bool, got: HttpAnswer, holds: bool | None) -> None:
    assert receipts.content_encoding(value, accepts, got)[1] is holds


@pytest.mark.parametrize(
    ("value", "children", "sockets", "holds"),
    [(True, 2, 2, True), (True, 2, 1, False), (False, 2, 1, True), (False, 2, 2, False), (True, 1, 1, True)],
)
def test_sockets_of_workers_show_in_how_many_listen(value: bool, children: int, sockets: int, holds: bool) -> None:
    seen, is_right = receipts.listeners(value, children, sockets)
    assert seen == ("1 listening socket" if sockets == 1 else f"{sockets} listening sockets")
    assert is_right is holds


def test_listening_sockets_that_nobody_tells_of_are_unknown() -> None:
    assert receipts.listeners(True, 2, None) == ("listening sockets cannot be counted here", None)


def test_sockets_that_listen_are_told_by_their_state_and_port() -> None:
    lines = [
        "   0: 0100007F:4E20 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 x 100 0 0 10 0",
        "   1: 0100007F:4E20 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1 x 100 0 0 10 0",
        "   2: 0100007F:4E21 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 3 1 x 100 0 0 10 0",
        "   3: 0100007F:4E20 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4 1 x",
    ]
    assert (receipts.listening(lines, 20_000), receipts.listening(lines, 20_001)) == (2, 1)


def test_idle_workers_are_a_result_and_missing_ones_a_fault() -> None:
    used = {1: 0, 2: 500, 3: 0}
    assert receipts.children(2, used, root=1) == ("1 of 2 child processes used CPU time", True)
    assert receipts.children(3, used, root=1) == ("1 of 2 child processes used CPU time", False)


@pytest.mark.parametrize(
    ("value", "accepted", "answers", "holds"),
    [
        (0, 1000, 1000, True),
        (0, 60, 1000, False),
        (300, 60, 1000, True),
        (300, 1000, 1000, False),
        (300, None, 1000, None),
        (300, 0, 0, None),
        (64, 63, 64, None),
    ],
)
def test_kept_connections_show_in_how_many_the_next_hop_accepted(
    value: int, accepted: int | None, answers: int, holds: bool | None
) -> None:
    assert receipts.connections(value, accepted, answers)[1] is holds


@pytest.mark.parametrize(
    ("kind", "value", "lines", "holds"),
    [
        (ReceiptKind.PASSED, 5, 3, True),
        (ReceiptKind.PASSED, 5, 1000, False),
        (ReceiptKind.PASSED, 0, 0, None),
        (ReceiptKind.LOGGED, True, 1000, True),
        (ReceiptKind.LOGGED, True, 3, False),
        (ReceiptKind.LOGGED, False, 0, True),
        (ReceiptKind.LOGGED, False, 3, False),
    ],
)
def test_caches_and_logs_show_in_the_lines_that_were_written(
    kind: ReceiptKind, value: bool | int, lines: int, holds: bool | None
) -> None:
    assert receipts.logged(kind, value, lines, 1000)[1] is holds


def test_a_process_on_other_cores_is_found_out() -> None:
    assert receipts.cores("nginx", [0], {7: {0}}).holds is True
    wrong = receipts.cores("nginx", [0], {7: {0}, 8: {0, 1}})
    assert (wrong.holds, wrong.seen) == (False, "1 of 2 processes are elsewhere: 8 on cores 0,1")
    assert receipts.cores("nginx", [0], {}).holds is None
    assert wrong.words() == "nginx: cores = 0, but 1 of 2 processes are elsewhere: 8 on cores 0,1"


def test_the_cpu_clock_of_a_process_is_read_and_one_that_is_gone_has_none() -> None:
    before = usage.process_clock_ns(os.getpid())
    sum(range(100_000))
    after = usage.process_clock_ns(os.getpid())
    assert before is not None and after is not None and 0 < before < after
    assert usage.process_clock_ns(2**22 - 1) is None
