"""What a workload asks, request by request."""

from __future__ import annotations

import msgspec

from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.mix import requests_of
from hopcost.suites.experiments.request import Method, MixedRequest
from hopcost.suites.experiments.workload import Workload

WORKLOAD = Workload(target="/usual", headers=[["A", "b"]], connections=8)


def mixed(*requests: MixedRequest, workload: Workload = WORKLOAD) -> Workload:
    return msgspec.structs.replace(workload, mix=list(requests))


def test_without_a_mix_there_is_one_request() -> None:
    (only,) = requests_of(Workload(target="/a?token=secret", method=Method.PUT, body_bytes=3))
    assert (only.name, only.weight) == ("PUT /a", 1)
    assert (only.workload.target, only.workload.body) == ("/a?token=secret", b"012")


def test_what_a_request_leaves_out_is_as_in_the_workload() -> None:
    page, form = requests_of(
        mixed(
            MixedRequest(weight=3),
            MixedRequest(
                target="/form",
                method=Method.POST,
                headers=[["C", "d"]],
                body_text='{"q": 1}',
                expect=Expect(Compared.STATUS, status=303),
            ),
        )
    )
    assert (page.name, page.weight, page.workload.target) == ("GET /usual", 3, "/usual")
    assert (page.workload.headers, page.workload.body, page.workload.expect) == ([["A", "b"]], None, Expect())
    assert (form.name, form.weight, form.workload.method) == ("POST /form", 1, Method.POST)
    assert form.workload.headers == [["A", "b"], ["C", "d"]]
    assert (form.workload.body, form.workload.expect.status) == (b'{"q": 1}', 303)
    assert page.workload.connections == form.workload.connections == 8
    assert page.workload.mix is form.workload.mix is None


def test_a_get_of_a_mix_leaves_the_workloads_body_to_the_others() -> None:
    uploads = Workload(method=Method.POST, body_bytes=5)
    get, post, other = requests_of(
        mixed(MixedRequest(method=Method.GET), MixedRequest(), MixedRequest(body_text="x"), workload=uploads)
    )
    assert [request.workload.body for request in (get, post, other)] == [None, b"01234", b"x"]


def test_requests_of_the_same_name_are_told_apart() -> None:
    requests = requests_of(mixed(*(MixedRequest(target=f"/list?page={page}") for page in range(3))))
    assert [request.name for request in requests] == ["GET /list", "GET /list (2)", "GET /list (3)"]
    assert [request.name for request in requests_of(mixed(MixedRequest(name="first"), MixedRequest()))] == [
        "first",
        "GET /usual",
    ]
