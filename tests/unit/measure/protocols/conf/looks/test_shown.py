"""Whether a change shows: what one start with it did beside a start of the file as it is. Nothing is started."""

from __future__ import annotations

from typing import Any

import pytest

from hopcost.measure.protocols.conf.looks.shown import JUDGES, Shown, why_without_effect
from hopcost.nginx.ablations import Receipt
from hopcost.stacks.client.connection import HttpAnswer


def shown(*, body: bytes = b"", fields: str = "Server: x", encoding: str | None = None, **counts: Any) -> Shown:
    head = f"HTTP/1.1 200 OK\r\n{fields}\r\n\r\n"
    answer = HttpAnswer(status=200, head=head, header_bytes=0, body=body, content_encoding=encoding)
    return Shown(answer, **({"connections": 32} | counts))


@pytest.mark.parametrize(
    ("receipt", "as_is", "changed", "words"),
    [
        (Receipt.ENCODING, {"encoding": "gzip"}, {"encoding": "gzip"}, "Content-Encoding is gzip as before"),
        (Receipt.ENCODING, {"encoding": "gzip"}, {}, None),
        (Receipt.BYTES, {"body": b"level 9"}, {"body": b"level 9"}, "the same to the byte"),
        (Receipt.BYTES, {"body": b"level 9"}, {"body": b"level 6!"}, None),
        (Receipt.LOG, {"log_bytes": 300}, {"log_bytes": 300}, "the log grows as before"),
        (Receipt.LOG, {"log_bytes": 300}, {"log_bytes": 0}, None),
        (Receipt.LOG, {"log_bytes": 0}, {"log_bytes": 0}, None),  # it is written elsewhere: syslog, /dev/stdout
        (Receipt.CONNECTIONS, {"behind": 97}, {"behind": 92}, "opens 92 connections to the app as before (97)"),
        (Receipt.CONNECTIONS, {"behind": 92}, {"behind": 32}, None),
        (Receipt.CONNECTIONS, {"behind": 32}, {"behind": 97}, None),
        (Receipt.CONNECTIONS, {"behind": None}, {"behind": None}, None),  # over Unix sockets nobody counts them
        (Receipt.CLIENT_CONNECTIONS, {"opened": 97}, {"opened": 97}, "opens 97 connections as before"),
        (Receipt.CLIENT_CONNECTIONS, {"opened": 97}, {"opened": 33}, None),
        (Receipt.CACHED, {"cached_files": 0}, {"cached_files": 0}, "nothing of this answer is in the cache"),
        (Receipt.CACHED, {"cached_files": 1}, {"cached_files": 1}, "the cache is filled as before"),
        (Receipt.CACHED, {"cached_files": 1}, {"cached_files": 0}, None),
        (Receipt.TEMP_FILES, {"temporary_files": 9}, {"temporary_files": 9}, "temporary files as before"),
        (Receipt.TEMP_FILES, {"temporary_files": 9}, {"temporary_files": 0}, None),
        (Receipt.TEMP_FILES, {"temporary_files": 0}, {"temporary_files": 0}, None),  # the log does not say it
        (Receipt.OPEN_FILES, {"open_files": 4}, {"open_files": 4}, "as many files open as before"),
        (Receipt.OPEN_FILES, {"open_files": 4}, {"open_files": 5}, None),
        (Receipt.OPEN_FILES, {"open_files": None}, {"open_files": None}, None),
        (Receipt.LISTENING, {"listening": 1}, {"listening": 1}, "1 listening sockets as before"),
        (Receipt.LISTENING, {"listening": 1}, {"listening": 4}, None),
        (Receipt.SESSIONS, {"resumes": True}, {"resumes": True}, "TLS session is resumed as before"),
        (Receipt.SESSIONS, {"resumes": False}, {"resumes": False}, "TLS session is not resumed as before"),
        (Receipt.SESSIONS, {"resumes": False}, {"resumes": True}, None),
        (Receipt.SESSIONS, {"resumes": None}, {"resumes": None}, None),
        (Receipt.HEADER, {"fields": "A: 1\r\nB: 2"}, {"fields": "A: 9\r\nB: 2"}, "the same header fields as before"),
        (Receipt.HEADER, {"fields": "A: 1\r\nB: 2"}, {"fields": "A: 1"}, None),
        (Receipt.HEADER, {"fields": "Content-Type: a; charset=b"}, {"fields": "Content-Type: a"}, None),
        (Receipt.PROTOCOL, {"protocol": "h2"}, {"protocol": "h2"}, "h2 is spoken as before"),
        (Receipt.PROTOCOL, {"protocol": "h2"}, {"protocol": "http/1.1"}, None),
        (Receipt.PROTOCOL, {"protocol": None}, {"protocol": None}, None),
        (Receipt.REQUEST, {"head_bytes": 90}, {"head_bytes": 90}, "gets a head of 90 bytes as before"),
        (Receipt.REQUEST, {"head_bytes": 90}, {"head_bytes": 60}, None),
        (Receipt.REQUEST, {"head_bytes": None}, {"head_bytes": None}, None),
        (Receipt.SUBREQUESTS, {"requests": 97, "packets": 582}, {"packets": 580, "requests": 97}, "580 packets for 97"),
        (Receipt.SUBREQUESTS, {"requests": 97, "packets": 582}, {"packets": 388, "requests": 97}, None),
        (Receipt.SUBREQUESTS, {"requests": 97}, {"requests": 97}, None),
        (Receipt.LOGIN, {"without_login": 401}, {"without_login": 401}, "without a password gets 401 as before"),
        (Receipt.LOGIN, {"without_login": 401}, {"without_login": 200}, None),
        (Receipt.LOGIN, {"without_login": None}, {"without_login": None}, None),
        (Receipt.NONE, {"encoding": "gzip", "log_bytes": 300}, {"encoding": "gzip", "log_bytes": 300}, None),
    ],
)
def test_a_change_must_show_where_it_can_be_seen(
    receipt: Receipt, as_is: dict[str, Any], changed: dict[str, Any], words: str | None
) -> None:
    why = why_without_effect(shown(**as_is), shown(**changed), receipt)
    assert (why is None) == (words is None)
    assert (words or "") in (why or "")


def test_every_receipt_but_none_is_looked_for() -> None:
    assert set(JUDGES) == set(Receipt) - {Receipt.NONE}


@pytest.mark.parametrize("receipt", [Receipt.CLIENT_CONNECTIONS, Receipt.CACHED, Receipt.LOG])
def test_one_request_shows_no_counts(receipt: Receipt) -> None:
    assert why_without_effect(shown(), shown(connections=0), receipt) is None
    assert why_without_effect(shown(connections=0), shown(connections=0), Receipt.ENCODING) is not None
