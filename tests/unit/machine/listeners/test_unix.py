"""Unix listeners in the kernel's own bytes, recorded on Linux 6.18."""

from __future__ import annotations

import os

from hopcost.machine.listeners.unix import read_answer, write_question

FILE = bytes.fromhex(
    "01010a00cf900600b0d0000000000000100000002f746d702f782e736f636b000c000100fd4898000000e00f0500060000000000"
    "0800070000000000"
)
NO_FILE = bytes.fromhex("01010a00d0900600b1d0000000000000080000000061707005000600000000000800070000000000")


def test_a_socket_file_with_its_place_on_the_disk() -> None:
    listener = read_answer(FILE)
    assert listener is not None
    assert (listener.address, listener.inode, listener.uid) == ("unix:/tmp/x.sock", 430287, 0)
    assert listener.file == (os.makedev(254, 0), 9980157)


def test_a_name_that_is_no_file() -> None:
    listener = read_answer(NO_FILE)
    assert listener is not None
    assert (listener.address, listener.file, listener.tcp) == ("unix:@app", None, None)


def test_a_socket_without_a_name_is_nobodys_address() -> None:
    assert read_answer(FILE[:16]) is None


def test_a_kernel_before_5_3_does_not_tell_the_user() -> None:
    listener = read_answer(FILE[:-8])
    assert listener is not None and listener.uid is None


def test_the_question_has_the_length_that_the_kernel_wants() -> None:
    assert len(write_question()) == 24
