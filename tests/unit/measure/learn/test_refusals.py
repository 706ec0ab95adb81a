"""Why an app cannot be measured as it answers: the words, and the option that helps."""

from __future__ import annotations

from http.client import HTTPException, RemoteDisconnected

import h11
import pytest

from hopcost.measure.learn.refusals import why_no_answer, why_refused
from hopcost.stacks.client.connection import Endless, HttpAnswer

CUT = h11.RemoteProtocolError("peer closed connection without sending complete message body")


def answer(status: int, head: str = "") -> HttpAnswer:
    return HttpAnswer(status=status, head=f"HTTP/1.1 {status} X\r\n{head}\r\n", header_bytes=0, body=b"")


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_a_success_is_measured(status: int) -> None:
    assert why_refused(answer(status), "GET /", "") is None


@pytest.mark.parametrize(
    ("location", "hint"),
    [
        ("/shop/?page=1", "ask for what it redirects to: --path '/shop/?page=1'"),
        (
            "/login/?next=/",
            "log in with -H 'Authorization: …' or -H 'Cookie: …', or ask for what it redirects to:"
            " --path '/login/?next=/'",
        ),
        (
            "https://sso.example.org/start",
            "log in with -H 'Authorization: …' or -H 'Cookie: …', or ask for what it redirects to:"
            " -H 'Host: sso.example.org' --path /start",
        ),
        ("http://127.0.0.1:8000/en", "ask for what it redirects to: --path /en"),
        ("https://localhost/", "ask for what it redirects to: -H 'X-Forwarded-Proto: https'"),
        ("http://shop.example.org/", "ask for what it redirects to: -H 'Host: shop.example.org'"),
        (
            "https://www.example.org/en/",
            "ask for what it redirects to: -H 'Host: www.example.org' --path /en/",
        ),
        (
            "https://example.org/",
            "ask for what it redirects to: -H 'Host: example.org' -H 'X-Forwarded-Proto: https'",
        ),
        ("/", "it redirects to itself"),
    ],
)
def test_a_redirect_says_where_to_and_how_to_get_there(location: str, hint: str) -> None:
    refusal = why_refused(answer(302, f"location: {location}\r\n"), "GET /", "")
    assert refusal == (f"it redirects GET / to {location} (status 302)", hint)


def test_a_redirect_to_nowhere_is_told() -> None:
    assert why_refused(answer(304), "GET /", "") == (
        "it answers GET / with status 304 and no Location", "take another page: --path",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("status", "option"),
    [(400, "-H 'Host: NAME'"), (401, "-H 'Authorization: …'"), (403, "-H 'Cookie: …'"), (404, "--path"),
     (405, "another method"), (418, "--path"), (429, "limits how often")],
)  # fmt: skip
def test_other_refusals_name_what_helps(status: int, option: str) -> None:
    refusal = why_refused(answer(status), "POST /x", "not told")
    assert refusal is not None
    assert refusal[0] == f"it answers POST /x with status {status}"
    assert option in refusal[1]


@pytest.mark.parametrize("status", [400, 411, 413, 415, 422])
def test_a_refused_upload_names_the_file_that_may_be_sent(status: int) -> None:
    for method, is_named in (("POST", True), ("PUT", True), ("GET", False)):
        refusal = why_refused(answer(status), f"{method} /x", "not told")
        assert refusal is not None
        assert ("--body-file FILE" in refusal[1]) is is_named, method


def test_a_fault_of_the_app_comes_with_its_last_lines() -> None:
    refusal = why_refused(answer(500), "GET /", "Traceback\nKeyError: 'DB'")
    assert refusal is not None
    assert refusal[0] == "it answers GET / with status 500; its last lines:\nTraceback\nKeyError: 'DB'"
    silent = why_refused(answer(503), "GET /", "")
    assert silent is not None
    assert silent[0] == "it answers GET / with status 503; it printed nothing"


@pytest.mark.parametrize(
    ("error", "received", "message", "hint"),
    [
        (Endless("70 bytes of a body came in 10.0 s, and no end"), b"HTTP/1.1 2", "does not end: 70 bytes", "streams"),
        (TimeoutError("nothing came within 10 s"), b"", "does not answer GET /: nothing came within 10 s", "--needs"),
        (RemoteDisconnected("x"), b"", "closes the connection without an answer to GET /; its last", "mend"),
        (ConnectionResetError(104, "x"), b"", "closes the connection without an answer", "mend"),
        (ConnectionRefusedError(111, "x"), b"", "opens no more connections", "mend"),
        (CUT, b"SSH-2.0-x\r\n", "not HTTP: it begins with b'SSH-2.0-x", "port"),
        (CUT, b"\x15\x03\x01\x00\x02\x02F", "it speaks TLS", "HTTP"),
        (CUT, b"HTTP/1.1 200 OK\r\n", "its answer to GET / is broken: peer closed", "mend"),
        (HTTPException("Content-Encoding 'br' cannot"), b"HTTP/1.1 200 OK", "is broken: Content-Encoding 'br'", "mend"),
    ],
)
def test_what_came_in_place_of_an_answer_is_told(error: Exception, received: bytes, message: str, hint: str) -> None:
    words, what_to_do = why_no_answer(error, received, "GET /", "boom")
    assert message in words
    assert hint in what_to_do
