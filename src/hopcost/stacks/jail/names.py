"""The name server of a stack: every name is this machine. For configurations that ask a `resolver` under load.

A process of its own, run as a script with the standard library alone; its arguments are where it listens (`IP:PORT`).
It says `listening` when it does. nginx keeps the answers for an hour: it costs nothing under load.
"""

from __future__ import annotations

import selectors
import socket
import struct
import sys

TYPE_A, CLASS_IN = 1, 1
TTL_S = 3600
HERE = socket.inet_aton("127.0.0.1")
ANSWER = struct.Struct("!HHHLH")
POINTER_TO_QUESTION = 0xC00C


def answer(query: bytes) -> bytes | None:
    """The answer to a query (RFC 1035, 4): this machine's IPv4 address, none of other kinds; None if it is no query."""
    end = query.find(b"\0", 12) + 5  # behind the name, its type and its class
    if len(query) < 17 or end < 17 or len(query) < end:
        return None
    number, flags, questions = struct.unpack_from("!HHH", query)
    if flags & 0x8000 or questions != 1:
        return None
    kind, family = struct.unpack_from("!HH", query, end - 4)
    has_address = (kind, family) == (TYPE_A, CLASS_IN)
    head = struct.pack("!HHHHHH", number, 0x8180 | flags & 0x0100, 1, int(has_address), 0, 0)
    record = ANSWER.pack(POINTER_TO_QUESTION, TYPE_A, CLASS_IN, TTL_S, len(HERE)) + HERE
    return head + query[12:end] + (record if has_address else b"")


def read_place(word: str) -> tuple[str, int]:
    """Where a `resolver` is asked: `8.8.8.8`, `127.0.0.1:5353`, `[::1]:53`.

    >>> read_place("8.8.8.8"), read_place("[::1]:5353"), read_place("::1")
    (('8.8.8.8', 53), ('::1', 5353), ('::1', 53))
    """
    host, _, port = word.rpartition(":")
    if word.endswith("]") or not host or (":" in host and not host.startswith("[")):
        return word.strip("[]"), 53
    return host.strip("[]"), int(port)


def main() -> None:
    """Answer until somebody ends this process."""
    selector = selectors.DefaultSelector()
    for word in sys.argv[1:]:
        host, port = read_place(word)
        server = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        server.bind((host, port))
        selector.register(server, selectors.EVENT_READ)
    print("listening", flush=True)
    while True:
        for key, _ in selector.select():
            asked = key.fileobj
            assert isinstance(asked, socket.socket), "no others are registered"
            query, client = asked.recvfrom(4096)
            reply = answer(query)
            if reply is not None:
                asked.sendto(reply, client)


if __name__ == "__main__":
    main()
