"""A client's connection to an arm, and what came over it: one request after the other, each with its whole answer."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from http.client import HTTPException, RemoteDisconnected

import h11
import msgspec

from hopcost.programs.generators import engine_plan
from hopcost.stacks.client.address import Address

CHECK_S = 10.0
LONGEST_HEAD = 1 << 20  # in bytes; h11 refuses a longer one
LONGEST_BODY = 128 << 20  # in bytes; a longer one has no end, as far as a check can tell
NO_ANSWER = (OSError, HTTPException, h11.ProtocolError, zlib.error)


class HttpAnswer(msgspec.Struct, frozen=True):
    """What one arm answered: status, the head as received, its length in bytes, the body as it was sent."""

    status: int
    head: str
    header_bytes: int
    body: bytes
    content_encoding: str | None = None

    @property
    def decoded(self) -> bytes:
        """The body without gzip or deflate; zlib.error if it is not what its encoding says. HEAD's answer has none."""
        match self.content_encoding:
            case None | "identity":
                return self.body
            case _ if not self.body:
                return b""
            case "gzip" | "x-gzip" | "deflate":
                decoder = zlib.decompressobj(wbits=47)  # 15, and 32 for: gzip or zlib, by its first bytes
                decoded = decoder.decompress(self.body) + decoder.flush()
                if not decoder.eof or decoder.unused_data:
                    raise zlib.error(f"the body is no whole {self.content_encoding} stream")
                return decoded
            case _:
                raise HTTPException(f"Content-Encoding '{self.content_encoding}' cannot be decoded here")


class Endless(HTTPException):
    """An answer that began, and did not end in its time or within LONGEST_BODY."""


class Connection:
    """A client's connection to an arm: requests and their answers in turn, each whole within `timeout_s`.

    Without a whole HTTP answer an error of NO_ANSWER. `received` holds the first bytes of the last answer.
    """

    def __init__(self, address: Address, timeout_s: float = CHECK_S) -> None:
        self.received = b""
        self._timeout_s = timeout_s
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=LONGEST_HEAD)
        self._socket = address.connect(timeout_s)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def is_kept(self) -> bool:
        """Whether the server lets it be used again after its answer."""
        return self._http.our_state is h11.DONE

    def ask(
        self, target: str, headers: Sequence[tuple[str, str]] = (), method: str = "GET", body: bytes | None = None
    ) -> HttpAnswer:
        """The answer to one request; the connection must be new or kept."""
        self.send(target, headers, method, body)
        return self.read()

    def send(
        self, target: str, headers: Sequence[tuple[str, str]] = (), method: str = "GET", body: bytes | None = None
    ) -> None:
        """The request alone; `read` gives its answer."""
        if self.is_kept:
            self._http.start_next_cycle()
        length = [] if body is None else [("Content-Length", str(len(body)))]
        fields = [(name.encode(), value.encode()) for name, value in [*engine_plan.with_host(headers), *length]]
        request = h11.Request(method=method, target=target.encode(), headers=fields)
        self._socket.settimeout(self._timeout_s)
        events = (request, h11.Data(data=body or b""), h11.EndOfMessage())
        self._socket.sendall(b"".join(self._http.send(event) or b"" for event in events))

    def wait_for_end(self, at_most_s: float) -> float | None:
        """After how many seconds the server does something with an idle connection: it closes, or says so first.

        None if it does nothing for so long.
        """
        began = time.monotonic()
        self._socket.settimeout(at_most_s)
        try:
            self._socket.recv(1)
        except TimeoutError:
            return None
        except OSError:
            pass  # reset
        return time.monotonic() - began

    def read(self) -> HttpAnswer:
        """The answer that h11 reads; its head is what h11 was fed until the response was whole."""
        deadline = time.monotonic() + self._timeout_s
        response: h11.Response | None = None
        head, fed, body = b"", b"", bytearray()
        self.received = b""
        while True:
            match self._http.next_event():
                case h11.NEED_DATA:
                    data = self._receive(deadline, len(body), has_begun=response is not None)
                    if not data and not fed:
                        raise RemoteDisconnected("Remote end closed connection without response")
                    fed += data if response is None else b""
                    self.received = self.received or data
                    self._http.receive_data(data)
                case h11.InformationalResponse():
                    fed = self._http.trailing_data[0]
                case h11.Response() as event:
                    response, head = event, fed.removesuffix(self._http.trailing_data[0])
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

    def _receive(self, deadline: float, body_bytes: int, *, has_begun: bool) -> bytes:
        """More bytes; Endless or TimeoutError if time is up, by whether an answer has begun."""
        left_s = deadline - time.monotonic()
        if body_bytes <= LONGEST_BODY and left_s > 0:
            self._socket.settimeout(left_s)
            try:
                return self._socket.recv(65536)
            except TimeoutError:
                pass
        if has_begun:
            passed_s = self._timeout_s - (deadline - time.monotonic())
            raise Endless(f"{body_bytes} bytes of a body came in {passed_s:.1f} s, and no end")
        raise TimeoutError(f"nothing came within {self._timeout_s:g} s")
