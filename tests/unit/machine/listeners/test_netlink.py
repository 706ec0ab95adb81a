"""Netlink's bytes: messages of a datagram, attributes of a message, and what is cut off."""

from __future__ import annotations

import errno
import struct

import pytest

from hopcost.machine.listeners.netlink import DONE, ERROR, Message, read_attributes, read_messages, write_question


def message(kind: int, body: bytes) -> bytes:
    padding = bytes(-len(body) % 4)
    return struct.pack("=IHHII", 16 + len(body), kind, 2, 0, 0) + body + padding


def test_a_question_has_its_length_and_asks_for_all() -> None:
    assert write_question(20, b"body") == struct.pack("=IHHII", 20, 20, 0x301, 0, 0) + b"body"


def test_messages_come_one_by_one_though_their_lengths_are_padded() -> None:
    datagram = message(20, b"first") + message(20, b"second!!") + message(DONE, bytes(4))
    assert list(read_messages(datagram)) == [Message(20, b"first"), Message(20, b"second!!"), Message(DONE, bytes(4))]


@pytest.mark.parametrize("kind", [ERROR, DONE])
def test_a_refusal_is_an_error_with_its_number(kind: int) -> None:
    with pytest.raises(OSError) as caught:
        list(read_messages(message(kind, struct.pack("=i", -errno.ENOENT))))
    assert caught.value.errno == errno.ENOENT


@pytest.mark.parametrize("cut", [1, 15, 18])
def test_a_message_that_is_cut_off_is_an_error(cut: int) -> None:
    with pytest.raises(OSError) as caught:
        list(read_messages(message(20, b"body")[:cut]))
    assert caught.value.errno == errno.EBADMSG


def test_a_length_of_nothing_does_not_go_on_for_ever() -> None:
    with pytest.raises(OSError):
        list(read_messages(bytes(32)))


def test_attributes_by_type_without_the_bits_that_say_how_they_are_coded() -> None:
    attribute = struct.pack("=HH", 5, 11) + b"\1" + bytes(3)
    other = struct.pack("=HH", 12, 21 | 0x8000) + b"12345678"
    assert read_attributes(attribute + other) == {11: b"\1", 21: b"12345678"}


@pytest.mark.parametrize("body", [b"", b"\5", struct.pack("=HH", 0, 1) * 2, struct.pack("=HH", 9, 1) + b"123"])
def test_attributes_that_are_cut_off_are_left_out(body: bytes) -> None:
    assert read_attributes(body) == {}
