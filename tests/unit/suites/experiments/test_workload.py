"""The body of a workload."""

from __future__ import annotations

from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload


def test_the_body_is_as_long_as_was_asked_for() -> None:
    for size in (1, 9, 10, 11, 123_456):
        body = Workload(method=Method.PUT, body_bytes=size).body
        assert body is not None and len(body) == size and body.startswith(b"0123456789"[:size])
    assert Workload().body is None
    assert Workload(method=Method.POST, body_text='{"ö": 1}').body == '{"ö": 1}'.encode()
