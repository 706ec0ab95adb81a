"""Whether a change shows: what one start with it did beside a start of the file as it is. Nothing is started."""

from __future__ import annotations

import pytest

from hopcost.measure.protocols.conf.starting import Shown, why_without_effect
from hopcost.nginx.ablations import Receipt
from hopcost.stacks.client.connection import HttpAnswer


def shown(*, gzip: bool = False, log_bytes: int = 0) -> Shown:
    encoding = "gzip" if gzip else None
    return Shown(HttpAnswer(status=200, head="", header_bytes=0, body=b"", content_encoding=encoding), log_bytes)


@pytest.mark.parametrize(
    ("receipt", "as_is", "changed", "words"),
    [
        (Receipt.ENCODING, shown(gzip=True), shown(gzip=True), "Content-Encoding is gzip as before"),
        (Receipt.ENCODING, shown(gzip=True), shown(), None),
        (Receipt.LOG, shown(log_bytes=300), shown(log_bytes=300), "the log grows as before"),
        (Receipt.LOG, shown(log_bytes=300), shown(log_bytes=0), None),
        (Receipt.LOG, shown(log_bytes=0), shown(log_bytes=0), None),  # it is written elsewhere: syslog, /dev/stdout
        (Receipt.NONE, shown(gzip=True, log_bytes=300), shown(gzip=True, log_bytes=300), None),
    ],
)
def test_a_change_must_show_where_it_can_be_seen(
    receipt: Receipt, as_is: Shown, changed: Shown, words: str | None
) -> None:
    why = why_without_effect(as_is, changed, receipt)
    assert (why is None) == (words is None)
    assert (words or "") in (why or "")
