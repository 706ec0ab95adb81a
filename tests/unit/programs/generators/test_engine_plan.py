"""The engine's request is the one that was checked."""

from __future__ import annotations

import base64

from hopcost.programs.generators import engine_plan
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload

UPLOAD = Workload(method=Method.POST, target="/echo-length", body_bytes=123_456)


def test_what_is_checked_is_what_is_loaded() -> None:
    request = engine_plan.engine_request(UPLOAD.target, UPLOAD.header_fields, UPLOAD.method.value, UPLOAD.body)
    assert (request.method, request.target) == ("POST", "/echo-length")
    assert base64.b64decode(request.body_base64 or "") == UPLOAD.body
    assert engine_plan.engine_request("/").body_base64 is None
