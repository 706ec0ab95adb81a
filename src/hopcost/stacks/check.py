"""The arms answer alike: one request to each before load, compared with the baseline's answer.

Bodies are compared decoded, as the client reads them; the engine then compares answers with the raw bytes of their arm.
"""

from __future__ import annotations

import difflib
import re
import socket
import zlib
from collections.abc import Sequence
from http.client import HTTPException, RemoteDisconnected

import h11
import msgspec

from hopcost.errors import ArmFailed
from hopcost.stacks.address import Address
from hopcost.suites.experiment import Workload

CHECK_S = 10.0
LONGEST_HEAD = 1 << 20  # in bytes; h11 refuses a longer one


class HttpAnswer(msgspec.Struct, frozen=True):
    """What one arm answered: status, the head as received, its length in bytes, the body as it was sent."""

    status: int
    head: str
    header_bytes: int
    body: bytes
    content_encoding: str | None = None

    @property
    def decoded(self) -> bytes:
        """The body without gzip or deflate; zlib.error if it is not what its encoding says."""
        match self.content_encoding:
            case None | "identity":
                return self.body
            case "gzip" | "x-gzip" | "deflate":
                decoder = zlib.decompressobj(wbits=47)  # 15, and 32 for: gzip or zlib, by its first bytes
                decoded = decoder.decompress(self.body) + decoder.flush()
                if not decoder.eof or decoder.unused_data:
                    raise zlib.error(f"the body is no whole {self.content_encoding} stream")
                return decoded
            case _:
                raise HTTPException(f"Content-Encoding '{self.content_encoding}' cannot be decoded here")


def ask(
    arm: str,
    address: Address,
    target: str,
    headers: Sequence[tuple[str, str]] = (),
    method: str = "GET",
    body: bytes | None = None,
) -> HttpAnswer:
    """The arm's answer to one request on a connection of its own; ArmFailed if there is none or it is not HTTP.

    `header_bytes` counts from the status line to the empty line, as `curl -sI | wc -c` does.
    """
    length = [] if body is None else [("Content-Length", str(len(body)))]
    fields = [(name.encode(), value.encode()) for name, value in [("Host", "localhost"), *headers, *length]]
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=LONGEST_HEAD)
    try:
        with address.connect(CHECK_S) as connection:
            request = h11.Request(method=method, target=target.encode(), headers=fields)
            events = (request, h11.Data(data=body or b""), h11.EndOfMessage())
            connection.sendall(b"".join(http.send(event) or b"" for event in events))
            return _read(http, connection)
    except (OSError, HTTPException, h11.ProtocolError, zlib.error) as error:
        raise ArmFailed(arm, f"no answer to the check: {method} {address.url}{target}: {error!r}") from error


def ask_as_loaded(arm: str, address: Address, workload: Workload) -> HttpAnswer:
    """The arm's answer to a request of its workload; as `ask`."""
    return ask(arm, address, workload.target, workload.header_fields, workload.method.value, workload.body)


def _read(http: h11.Connection, connection: socket.socket) -> HttpAnswer:
    """The answer that h11 reads; its head is what h11 was fed until the response was whole."""
    response: h11.Response | None = None
    head, fed, body = b"", b"", bytearray()
    while True:
        match http.next_event():
            case h11.NEED_DATA:
                data = connection.recv(65536)
                if not data and not fed:
                    raise RemoteDisconnected("Remote end closed connection without response")
                fed += data if response is None else b""
                http.receive_data(data)
            case h11.InformationalResponse():
                fed = http.trailing_data[0]
            case h11.Response() as event:
                response, head = event, fed.removesuffix(http.trailing_data[0])
            case h11.Data(data=data):
                body += data
            case h11.EndOfMessage():
                break
            case other:
                raise HTTPException(f"no HTTP answer: {other!r}")
    assert response is not None
    encodings = [value.decode("latin-1") for name, value in response.headers if name == b"content-encoding"]
    answer = HttpAnswer(
        status=response.status_code,
        head=head.decode("latin-1"),
        header_bytes=len(head),
        body=bytes(body),
        content_encoding=", ".join(encodings) if encodings else None,
    )
    _ = answer.decoded  # a body that cannot be decoded is an error of this arm
    return answer


def compare_answers(baseline: str, expected: HttpAnswer, arm: str, answer: HttpAnswer) -> None:
    """ArmFailed with a diff unless status and decoded body are the baseline's; header bytes may differ, and are shown.

    Any status will do if all arms have it.
    """
    if (answer.status, answer.decoded) == (expected.status, expected.decoded):
        return
    difference = difflib.unified_diff(
        _lines(expected), _lines(answer), fromfile=f"{baseline} (baseline)", tofile=arm, lineterm="", n=1
    )
    raise ArmFailed(arm, "it answers otherwise than the baseline:\n" + "\n".join(difference))


def _lines(answer: HttpAnswer) -> list[str]:
    body = answer.decoded.decode("utf-8", errors="backslashreplace").splitlines()
    shown = [line if len(line) <= 200 else f"{line[:200]}… ({len(line)} characters)" for line in body[:40]]
    return [f"status {answer.status}", f"body of {len(answer.decoded)} bytes:", *shown]


def names_of_header_fields(answer: HttpAnswer) -> list[str]:
    """The header fields in the order they came, for the record."""
    return re.findall(r"^([!#-'*+.0-9A-Z^_`a-z|~-]+):", answer.head, flags=re.MULTILINE)
