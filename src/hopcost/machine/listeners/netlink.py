"""Netlink messages as bytes: questions out, answers in. Nothing is sent here."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

REQUEST_DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
ERROR, DONE = 2, 3  # types of messages
HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
CODE = struct.Struct("=i")
ATTRIBUTE = struct.Struct("=HH")  # length, type
TYPE_BITS = 0x3FFF  # the other two say how the value is coded


class Message(NamedTuple):
    """One message of the kernel."""

    kind: int
    body: bytes


def write_question(kind: int, body: bytes) -> bytes:
    """A message that asks for all there is of a kind."""
    return HEADER.pack(HEADER.size + len(body), kind, REQUEST_DUMP, 0, 0) + body


def read_messages(datagram: bytes) -> Iterator[Message]:
    """The messages of a datagram; OSError for one that is an error, or is cut off."""
    at = 0
    while at < len(datagram):
        length = HEADER.unpack_from(datagram, at)[0] if at + HEADER.size <= len(datagram) else 0
        if not HEADER.size <= length <= len(datagram) - at:
            raise OSError(errno.EBADMSG, os.strerror(errno.EBADMSG))
        message = Message(HEADER.unpack_from(datagram, at)[1], datagram[at + HEADER.size : at + length])
        if message.kind in (ERROR, DONE) and len(message.body) >= CODE.size:
            (code,) = CODE.unpack_from(message.body)
            if code < 0:
                raise OSError(-code, os.strerror(-code))
        yield message
        at += _aligned(length)


def read_attributes(body: bytes) -> dict[int, bytes]:
    """The values behind a message's fixed part, by type; what is cut off is left out."""
    values: dict[int, bytes] = {}
    at = 0
    while at + ATTRIBUTE.size <= len(body):
        length, kind = ATTRIBUTE.unpack_from(body, at)
        if not ATTRIBUTE.size <= length <= len(body) - at:
            break
        values[kind & TYPE_BITS] = body[at + ATTRIBUTE.size : at + length]
        at += _aligned(length)
    return values


def _aligned(length: int) -> int:
    return (length + 3) & ~3
