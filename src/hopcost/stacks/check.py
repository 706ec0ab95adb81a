"""The arms answer alike: one request to each before load, compared with the baseline's answer.

Bodies are compared decoded, as the client reads them; the engine then compares answers with the raw bytes of their arm.
"""

from __future__ import annotations

import difflib
import http.client
import re
import socket
import zlib
from collections.abc import Sequence

import msgspec

from hopcost.errors import ArmFailed
from hopcost.stacks.address import Address
from hopcost.suites.experiment import Workload

CHECK_S = 10.0


class HttpAnswer(msgspec.Struct, frozen=True):
    """What one arm answered: status, the head as received, its length in bytes, the body as it was sent."""

    status: int
    head: str
    header_bytes: int
    body: bytes
    content_encoding: str | None = None

    @property
    def decoded(self) -> bytes:
        """The body without gzip or deflate; zlib.error where it is not what its encoding says."""
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
                raise http.client.HTTPException(f"Content-Encoding '{self.content_encoding}' cannot be decoded here")


class _Recorder:
    """A socket's file that keeps what was read of the head."""

    def __init__(self, connection: socket.socket) -> None:
        self._file = connection.makefile("rb")
        self.lines: list[bytes] = []

    def readline(self, limit: int = -1) -> bytes:
        line = self._file.readline(limit)
        self.lines.append(line)
        return line

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


def ask(
    arm: str,
    address: Address,
    target: str,
    headers: Sequence[tuple[str, str]] = (),
    method: str = "GET",
    body: bytes | None = None,
) -> HttpAnswer:
    """The arm's answer to one request on a connection of its own; ArmFailed when there is none or it is not HTTP.

    `header_bytes` counts from the status line to the empty line, as `curl -sI | wc -c` does.
    """
    length = [] if body is None else [("Content-Length", str(len(body)))]
    fields = "".join(f"{name}: {value}\r\n" for name, value in [("Host", "localhost"), *headers, *length])
    try:
        with address.connect(CHECK_S) as connection:
            connection.sendall(f"{method} {target} HTTP/1.1\r\n{fields}\r\n".encode() + (body or b""))
            return _read(connection)
    except (OSError, http.client.HTTPException, zlib.error) as error:
        raise ArmFailed(arm, f"no answer to the check: {method} {address.url}{target}: {error!r}") from error


def ask_as_loaded(arm: str, address: Address, workload: Workload) -> HttpAnswer:
    """The arm's answer to a request of its workload; as `ask`."""
    return ask(arm, address, workload.target, workload.header_fields, workload.method.value, workload.body)


def _read(connection: socket.socket) -> HttpAnswer:
    response = http.client.HTTPResponse(connection, method="GET")
    recorder = _Recorder(connection)
    response.fp = recorder  # type: ignore[assignment]
    response.begin()
    head = b"".join(recorder.lines)
    head = head[: head.index(b"\r\n\r\n") + 4] if b"\r\n\r\n" in head else head
    body = response.read()
    response.close()
    answer = HttpAnswer(
        status=response.status,
        head=head.decode("latin-1"),
        header_bytes=len(head),
        body=body,
        content_encoding=response.getheader("Content-Encoding"),
    )
    _ = answer.decoded  # an encoding that cannot be undone is an error of this arm, here
    return answer


def compare_answers(baseline: str, expected: HttpAnswer, arm: str, got: HttpAnswer) -> None:
    """ArmFailed with a diff unless status and decoded body are the baseline's; header bytes may differ, and are shown.

    Any status will do that is the same in all arms.
    """
    if (got.status, got.decoded) == (expected.status, expected.decoded):
        return
    difference = difflib.unified_diff(
        _lines(expected), _lines(got), fromfile=f"{baseline} (baseline)", tofile=arm, lineterm="", n=1
    )
    raise ArmFailed(arm, "it answers otherwise than the baseline:\n" + "\n".join(difference))


def _lines(answer: HttpAnswer) -> list[str]:
    body = answer.decoded.decode("utf-8", errors="backslashreplace").splitlines()
    shown = [line if len(line) <= 200 else f"{line[:200]}… ({len(line)} characters)" for line in body[:40]]
    return [f"status {answer.status}", f"body of {len(answer.decoded)} bytes:", *shown]


def names_of_header_fields(answer: HttpAnswer) -> list[str]:
    """The header fields in the order they came, for the record."""
    return re.findall(r"^([!#-'*+.0-9A-Z^_`a-z|~-]+):", answer.head, flags=re.MULTILINE)
