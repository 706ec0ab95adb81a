"""The check: what is asked, what an answer is when it is encoded, and what counts as alike."""

from __future__ import annotations

import gzip
import re
import socket
import threading
import zlib
from collections.abc import Callable

import pytest

from hopcost.errors import ArmFailed
from hopcost.programs.generators import engine_plan
from hopcost.stacks.client import check
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.suites.experiments.expect import Compared, Expect

BODY = b"Hello World\n" * 10


def answer(status: int = 200, body: bytes = BODY, encoding: str | None = None) -> HttpAnswer:
    return HttpAnswer(status=status, head="", header_bytes=0, body=body, content_encoding=encoding)


@pytest.fixture
def served() -> Callable[[bytes], tuple[Address, list[bytes]]]:
    """A server that gives one answer to one request; its address and what it was asked."""

    def serve(reply: bytes) -> tuple[Address, list[bytes]]:
        listener, asked = socket.create_server(("127.0.0.1", 0)), []

        def once() -> None:
            with listener, listener.accept()[0] as connection:
                asked.append(connection.recv(65536))
                connection.sendall(reply)

        threading.Thread(target=once, daemon=True).start()
        return Address(link="http+tcp", address=f"127.0.0.1:{listener.getsockname()[1]}"), asked

    return serve


def test_header_fields_are_sent_and_a_gzipped_body_is_decoded(
    served: Callable[[bytes], tuple[Address, list[bytes]]],
) -> None:
    packed = gzip.compress(BODY)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n".encode()
    address, asked = served(head + packed)
    got = check.ask("arm", address, "/x", [("Accept-Encoding", "gzip,deflate")])
    assert asked == [b"GET /x HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip,deflate\r\n\r\n"]
    assert (got.status, got.body, got.decoded, got.content_encoding) == (200, packed, BODY, "gzip")
    assert got.header_bytes == len(head)


def test_an_answer_to_head_has_no_body_whatever_its_head_says(
    served: Callable[[bytes], tuple[Address, list[bytes]]],
) -> None:
    address, asked = served(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 500\r\n\r\n")
    got = check.ask("arm", address, "/x", method="HEAD")
    assert asked == [b"HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    assert (got.status, got.body, got.decoded) == (200, b"", b"")


@pytest.mark.parametrize(
    "encoded",
    [
        b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + gzip.compress(BODY, mtime=0)[:20],
        b"Content-Encoding: br\r\nContent-Length: 3\r\n\r\nabc",
    ],
)
def test_a_body_that_is_not_what_its_encoding_says_fails_its_arm(
    served: Callable[[bytes], tuple[Address, list[bytes]]], encoded: bytes
) -> None:
    address, _ = served(b"HTTP/1.1 200 OK\r\n" + encoded)
    with pytest.raises(ArmFailed, match="no answer to the check"):
        check.ask("arm", address, "/")


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        (b"Content-Length: %d\r\n" % len(BODY), BODY),
        (b"Transfer-Encoding: chunked\r\n", b"%x\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" % (len(BODY), BODY)),
        (b"", BODY),
    ],
    ids=["length", "chunked", "until it closes"],
)
def test_header_bytes_are_those_of_the_head_alone(
    served: Callable[[bytes], tuple[Address, list[bytes]]], fields: bytes, sent: bytes
) -> None:
    head = b"HTTP/1.1 200 OK\r\nX-Name: value\r\n" + fields + b"\r\n"
    address, _ = served(head + sent)
    got = check.ask("arm", address, "/")
    assert (got.head, got.header_bytes, got.body) == (head.decode(), len(head), BODY)


def test_a_request_with_a_body_is_sent_whole(served: Callable[[bytes], tuple[Address, list[bytes]]]) -> None:
    address, asked = served(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert check.ask("arm", address, "/x", method="POST", body=b"abc").status == 204
    assert asked == [b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (b"", "RemoteDisconnected('Remote end closed connection without response')"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "RemoteProtocolError"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "RemoteProtocolError"),
        (b"no HTTP\r\n\r\n", "RemoteProtocolError"),
    ],
    ids=["nothing", "part of a head", "part of a body", "no HTTP"],
)
def test_no_whole_answer_fails_its_arm(
    served: Callable[[bytes], tuple[Address, list[bytes]]], reply: bytes, why: str
) -> None:
    address, _ = served(reply)
    with pytest.raises(ArmFailed, match=re.escape(why)):
        check.ask("arm", address, "/")


def test_arms_are_alike_where_the_decoded_bodies_are() -> None:
    check.compare_answers("base", answer(), "gzip", answer(body=gzip.compress(BODY), encoding="gzip"))
    check.compare_answers("base", answer(), "deflate", answer(body=zlib.compress(BODY), encoding="deflate"))


def test_any_status_is_right_that_is_the_same_in_both() -> None:
    check.compare_answers("base", answer(status=404), "arm", answer(status=404))
    with pytest.raises(ArmFailed, match=r"(?s)-status 404.*\+status 200"):
        check.compare_answers("base", answer(status=404), "arm", answer())


def test_a_difference_is_shown_decoded() -> None:
    other = answer(body=gzip.compress(b"Hullo World\n"), encoding="gzip")
    with pytest.raises(ArmFailed, match=r"\+Hullo World"):
        check.compare_answers("base", answer(), "arm", other)


def token(value: bytes, encoding: str | None = None) -> HttpAnswer:
    body = b'{"a": 1, "token": "' + value + b'"}\n'
    return answer(body=body if encoding is None else gzip.compress(body), encoding=encoding)


MASKED = Expect(Compared.MASKED, masked=[(19, 22)])


def test_what_is_masked_may_differ_and_nothing_else() -> None:
    check.compare_answers("base", token(b"abc"), "arm", token(b"xyz"), MASKED)
    check.compare_answers("base", token(b"abc"), "gzip", token(b"xyz", "gzip"), MASKED)
    other = answer(body=b'{"a": 2, "token": "xyz"}\n')
    with pytest.raises(ArmFailed) as caught:
        check.compare_answers("base", token(b"abc"), "arm", other, MASKED)
    assert '-{"a": 1, "token": "***"}\n+{"a": 2, "token": "***"}' in caught.value.message
    with pytest.raises(ArmFailed, match="-body of 25 bytes"):
        check.compare_answers("base", token(b"abc"), "arm", token(b"wxyz"), MASKED)


def test_lengths_or_the_statuses_alone_can_be_compared() -> None:
    length, status = Expect(Compared.LENGTH), Expect(Compared.STATUS)
    check.compare_answers("base", token(b"abc"), "arm", token(b"xyz"), length)
    check.compare_answers("base", token(b"abc"), "arm", token(b"wxyz"), status)
    with pytest.raises(ArmFailed, match=r"(?s)-body of 25 bytes\n\+body of 26 bytes"):
        check.compare_answers("base", token(b"abc"), "arm", token(b"wxyz"), length)
    with pytest.raises(ArmFailed, match=r"(?s)-status 200\n\+status 500"):
        check.compare_answers("base", token(b"abc"), "arm", answer(status=500), status)


def test_an_answer_has_the_expected_status_and_is_as_long_as_what_is_masked() -> None:
    check.check_answer("arm", token(b"abc"), Expect(Compared.MASKED, 200, masked=[(0, 25)]))
    with pytest.raises(ArmFailed, match=r"with status 200; 201 is expected"):
        check.check_answer("arm", token(b"abc"), Expect(status=201))
    with pytest.raises(ArmFailed, match=r"its body has 25 bytes; those from 0 to 26 are to be masked"):
        check.check_answer("arm", token(b"abc"), Expect(Compared.MASKED, masked=[(0, 26)]))


@pytest.mark.parametrize(
    ("given", "expect", "encoding", "said"),
    [
        (Compared.BODY, Expect(), None, ("body", None, [])),
        (Compared.BODY, Expect(), "gzip", ("body", None, [])),
        (Compared.MASKED, MASKED, None, ("body", None, [(19, 22)])),
        (Compared.STATUS, MASKED, "gzip", (None, None, [])),
        (Compared.LENGTH, Expect(Compared.LENGTH), None, (None, 25, [])),
        (Compared.STATUS, Expect(Compared.LENGTH), "gzip", (None, None, [])),
        (Compared.STATUS, Expect(Compared.STATUS), None, (None, None, [])),
    ],
)
def test_the_engine_compares_raw_bodies_and_of_changing_ones_that_are_compressed_the_status(
    given: Compared, expect: Expect, encoding: str | None, said: tuple[str | None, int | None, list[tuple[int, int]]]
) -> None:
    arms = token(b"abc", encoding)
    assert check.compared_under_load(arms, expect) is given
    body, length, masked = said
    assert check.expect_under_load(arms, expect) == engine_plan.engine_expect(
        200, None if body is None else arms.body, length, masked
    )
