"""What stands before every page."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from hopcost.page.guard import HEADERS, LONGEST_PATH, LONGEST_QUERY, Guard, refusal


@pytest.fixture(name="client")
def guarded() -> TestClient:
    return TestClient(Guard(PlainTextResponse("inside")), base_url="http://127.0.0.1:8420")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8420", "localhost", "LOCALHOST:80"])
def test_this_machines_own_names_may_pass(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).text == "inside"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8420",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example#127.0.0.1",
        "127.0.0.1:8420@evil.example",
        "127.0.0.2",
        "0.0.0.0",
        "[::1]:8420",
        "127.0.0.1:x",
        "localhost:",
        "",
        "127.0.0.1, evil.example",
    ],
)
def test_another_name_that_leads_here_is_refused(host: str) -> None:
    """DNS rebinding: a page of evil.example asks evil.example:8420, whose address is 127.0.0.1 by now."""
    refused = refusal(request(host=host))
    assert refused is not None and refused.status_code == 421
    assert b"Host header" in refused.body


def request(
    method: str = "GET", headers: tuple[tuple[bytes, bytes], ...] = (), host: str = "127.0.0.1:8420", **more: Any
) -> Scope:
    own = [(b"host", host.encode()), *headers]
    return {"type": "http", "method": method, "headers": own, "raw_path": b"/", "query_string": b"", **more}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "BREW"])
def test_only_reading_passes(method: str) -> None:
    refused = refusal(request(method))
    assert refused is not None
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_head_has_the_headers(client: TestClient) -> None:
    assert client.head("/").status_code == 200


@pytest.mark.parametrize("value", [b"1", b"00", b"-1", b"999999999999"])
def test_no_request_has_a_body(value: bytes) -> None:
    refused = refusal(request(headers=((b"Content-Length", value),)))
    assert refused is not None and refused.status_code == 413
    chunked = refusal(request(headers=((b"transfer-encoding", b"chunked"),)))
    assert chunked is not None and chunked.status_code == 413
    assert refusal(request(headers=((b"content-length", b"0"),))) is None


def test_two_hosts_are_none() -> None:
    refused = refusal(request(headers=((b"host", b"127.0.0.1"),)))
    assert refused is not None and refused.status_code == 421


def test_long_addresses_are_refused() -> None:
    odd: list[dict[str, Any]] = [
        {"raw_path": b"/" * (LONGEST_PATH + 1)},
        {"query_string": b"a" * (LONGEST_QUERY + 1)},
    ]
    for more in odd:
        refused = refusal(request(**more))
        assert refused is not None and refused.status_code == 414
    assert refusal(request(raw_path=b"/" * LONGEST_PATH, query_string=b"a" * LONGEST_QUERY)) is None


def test_every_answer_has_the_policy(client: TestClient) -> None:
    answers = [
        client.get("/"),
        client.post("/"),
        client.get("/", headers={"Host": "evil.example"}),
        client.get("/?" + "a" * (LONGEST_QUERY + 1)),
    ]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
        assert answer.headers["Cache-Control"] == "no-store"
    assert len({answer.status_code for answer in answers}) == 4


def test_the_policy_lets_no_text_of_a_page_be_a_script_or_a_style() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy and "*" not in policy
    assert "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy


def test_web_sockets_are_not_answered() -> None:
    asked: list[Scope] = []

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope)

    async def nothing() -> Any:
        raise AssertionError("nobody asks")

    async def send(message: Any) -> None:
        raise AssertionError(message)

    asyncio.run(Guard(inside)({"type": "websocket", "headers": []}, nothing, send))
    assert asked == []
