"""TCP's listeners in the kernel's own bytes, recorded on Linux 6.18."""

from __future__ import annotations

import pytest

from hopcost.machine.listeners.tcp import read_answer, write_question

ADDRESS = 8  # where it begins in an answer
V4 = bytes.fromhex(
    "020a00000bb800007f0000010000000000000000000000000000000000000000000000000000000000000000abd0000000000000"
    "00000000000000000800000000000000ca900600050008000000000008000f00000000000c001500010000000000000006001600"
    "52000000"
)
V6_ALONE = bytes.fromhex(
    "0a0a000000510000000000000000000000000000000000010000000000000000000000000000000000000000acd0000000000000"
    "00000000000000000800000000000000cc900600050008000000000005000b000100000008000f00000000000c00150001000000"
    "000000000600160012000000"
)
BOTH = bytes.fromhex(
    "0a0a000000500000000000000000000000000000000000000000000000000000000000000000000000000000aed0000000000000"
    "00000000000000000800000000000000cb900600050008000000000005000b000000000008000f00000000000c00150001000000"
    "000000000600160012000000"
)
MAPPED = bytes.fromhex(
    "0a0a00000052000000000000000000000000ffff7f0000010000000000000000000000000000000000000000afd0000000000000"
    "00000000000000000800000000000000cd900600050008000000000005000b000000000008000f00000000000c00150001000000"
    "000000000600160012000000"
)


@pytest.mark.parametrize(
    ("answer", "address", "inode", "serves_ipv4"),
    [
        (V4, "127.0.0.1:3000", 430282, True),
        (V6_ALONE, "[::1]:81", 430284, False),
        (BOTH, "[::]:80", 430283, True),
        (MAPPED, "127.0.0.1:82", 430285, True),
    ],
)
def test_address_inode_user_and_cgroup(answer: bytes, address: str, inode: int, serves_ipv4: bool) -> None:
    listener = read_answer(answer)
    assert (listener.address, listener.inode, listener.uid, listener.cgroup_id) == (address, inode, 0, 1)
    assert listener.tcp is not None and listener.tcp.serves_ipv4 is serves_ipv4


def test_a_wildcard_for_ipv6_alone_takes_no_ipv4() -> None:
    only = bytearray(BOTH)
    only[72 + 8 + 4] = 1  # INET_DIAG_SKV6ONLY, behind the eight bytes of INET_DIAG_SHUTDOWN
    listener = read_answer(bytes(only))
    assert listener.tcp is not None and not listener.tcp.serves_ipv4


def test_a_kernel_before_5_9_does_not_tell_the_cgroup() -> None:
    assert read_answer(V4[:72]).cgroup_id is None


def test_the_question_has_the_length_that_the_kernel_wants() -> None:
    question = write_question(2)
    assert len(question) == 56
    assert question[:8] == bytes([2, 6, 0, 0, 0, 4, 0, 0])  # AF_INET, TCP, LISTEN is the tenth bit
