"""The words of `hopcost front` as a request: what it carries, and what that is refused with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopcost.cli.shared.requests.front import FrontWords
from hopcost.errors import UsageError
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload

PLAIN: dict[str, Any] = {
    "command": ["node", "server.js"],
    "fronts": [],
    "path": "/",
    "headers": [],
    "method": "GET",
    "body_bytes": None,
    "connections": 64,
    "port": None,
    "socket": None,
    "is_fastcgi": False,
    "script": None,
    "needs": [],
    "folder": None,
    "environment": [],
    "rate": None,
    "is_quick": False,
}


def workload_of(**changes: Any) -> Workload:
    """What the load is, with these words in place of the plain ones."""
    return FrontWords(**(PLAIN | changes)).request().workload


def body_file(folder: Path, body: bytes) -> Path:
    """A file with that body."""
    path = folder / "order.json"
    path.write_bytes(body)
    return path


def test_it_asks_for_a_page_unless_it_is_told_to_upload() -> None:
    workload = workload_of()
    assert (workload.method, workload.body) == (Method.GET, None)


@pytest.mark.parametrize("text", ['{"name": "Zoë"}', "a=1&b=2\r\n", "\ufeffone\n"])
def test_a_file_is_sent_as_it_is(tmp_path: Path, text: str) -> None:
    workload = workload_of(method="post", body_file=body_file(tmp_path, text.encode()))
    assert (workload.method, workload.body_text, workload.body) == (Method.POST, text, text.encode())


def test_digits_are_sent_if_only_a_length_is_given() -> None:
    workload = workload_of(method="PUT", body_bytes=12)
    assert (workload.method, workload.body) == (Method.PUT, b"012345678901")


@pytest.mark.parametrize(
    ("changes", "message", "hint"),
    [
        ({"method": "POST"}, "--method POST: of nothing", "--body-file FILE"),
        ({"body_bytes": 10}, "--body-bytes: a GET carries no body", "--method POST"),
        ({"body_file": Path("x")}, "--body-file: a GET carries no body", "--method POST"),
        ({"method": "POST", "body_file": Path("x"), "body_bytes": 10}, "--body-bytes and --body-file", "one of"),
        ({"method": "PATCH"}, "--method PATCH: of nothing", "--body-file FILE"),
        ({"method": "DELETE", "body_bytes": 10}, "--body-bytes: a DELETE carries no body", "--method POST"),
        ({"method": "TRACE"}, "--method: 'TRACE' is none", ""),
        ({"method": "POST", "body_file": Path("nowhere")}, "--body-file nowhere: no such file", "exists"),
    ],
)
def test_a_body_and_a_method_that_carries_one_belong_together(changes: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        workload_of(**changes)
    assert caught.value.message.startswith(message) and hint in (caught.value.hint or "")
