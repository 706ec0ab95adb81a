"""`--streams` belongs to `--http2`."""

from __future__ import annotations

import pytest

from hopcost.cli.shared.requests.http2 import read_streams
from hopcost.errors import UsageError


def test_streams_without_http_2_are_refused() -> None:
    with pytest.raises(UsageError, match="--streams") as caught:
        read_streams(10, http2=False)
    assert caught.value.hint == "add --http2"
    assert read_streams(None, http2=False) is None
