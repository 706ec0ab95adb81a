"""The words of `hopcost conf` as a request, and what they are refused with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mocks import confs

from hopcost.cli.shared.requests.conf import ConfWords, read_new_connections, refuse_own_file, show_plan
from hopcost.errors import UsageError
from hopcost.suites.experiments.request import Method

PLAIN: dict[str, Any] = {
    "command": [],
    "nginx": "nginx",
    "site": None,
    "path": "/",
    "headers": [],
    "body_bytes": None,
    "connections": 32,
    "new_connections": None,
    "streams": None,
    "app_port": None,
    "needs": [],
    "folder": None,
    "environment": [],
    "is_quick": False,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "nginx.conf"
    path.write_text("events {}")
    return path


def words(file: Path, **changes: Any) -> ConfWords:
    return ConfWords(file=file, **(PLAIN | changes))


def test_without_options_it_is_the_page_of_the_first_site_before_the_origin(file: Path) -> None:
    request = words(file).request()
    assert (request.host, request.port, request.app) == (None, None, None)
    workload = request.workload
    assert (workload.target, workload.method, workload.requests_per_connection) == ("/", Method.GET, None)


def test_an_upload_is_a_post(file: Path) -> None:
    workload = words(file, body_bytes=100).request().workload
    assert (workload.method, workload.body_bytes) == (Method.POST, 100)


def test_a_file_is_uploaded_as_it_is(file: Path, tmp_path: Path) -> None:
    body = tmp_path / "order.json"
    body.write_text('{"item": 1}')
    workload = words(file, body_file=body).request().workload
    assert (workload.method, workload.body) == (Method.POST, b'{"item": 1}')
    with pytest.raises(UsageError, match="--body-bytes and --body-file"):
        words(file, body_file=body, body_bytes=10).request()
    with pytest.raises(UsageError, match=r"--body-file .*: no such file"):
        words(file, body_file=tmp_path / "gone").request()


def test_over_http_2_a_connection_has_several_requests_at_a_time(file: Path) -> None:
    request = words(file, streams=10).request()
    assert (request.http2, request.workload.streams, request.streams) == (True, 10, 10)
    request = words(file).request()
    assert (request.http2, request.workload.streams, request.streams) == (False, 1, None)


def test_a_site_is_a_host_a_port_or_a_url(file: Path) -> None:
    request = words(file, site="https://shop.example.org").request()
    assert (request.host, request.port) == ("shop.example.org", 443)


def test_the_app_runs_in_its_folder_with_its_variables(file: Path, tmp_path: Path) -> None:
    app = words(file, command=["./serve"], folder=tmp_path, environment=["A=1"], app_port=3000).request().app
    assert app is not None
    assert (app.command, app.folder, app.environment, app.port) == (["./serve"], str(tmp_path), {"A": "1"}, 3000)


@pytest.mark.parametrize(
    ("changes", "message", "hint"),
    [
        ({"path": "x"}, "--path: expected a path from /, got 'x'", "--path /x"),
        ({"headers": ["nonsense"]}, "-H: expected 'NAME: VALUE'", "-H"),
        ({"site": "example.org:port"}, "--site: expected HOST:PORT", "like example.org:443"),
        ({"site": ""}, "--site: expected HOST:PORT", "like example.org:443"),
        ({"command": ["x"], "folder": Path("/nowhere")}, "--folder: /nowhere is no directory", "started in"),
        ({"command": ["x"], "environment": ["1=2"]}, "--env: expected NAME=VALUE", "--env DATABASE_URL"),
    ],
)
def test_a_wrong_word_is_told(file: Path, changes: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        words(file, **changes).request()
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_a_file_that_is_not_there_gets_the_nearest_one(file: Path) -> None:
    with pytest.raises(UsageError, match="no such file") as caught:
        words(file.with_name("ngnix.conf")).request()
    assert caught.value.hint == "did you mean 'nginx.conf'?"


@pytest.mark.parametrize("text", ["0", "-1", "x", "1.5"])
def test_requests_per_connection_are_a_number_from_one(text: str) -> None:
    with pytest.raises(UsageError, match="--new-connections"):
        read_new_connections(text)


def test_no_result_goes_into_the_configuration(file: Path) -> None:
    with pytest.raises(UsageError, match="never written"):
        refuse_own_file("--diff", file.parent / "." / "nginx.conf", file)
    refuse_own_file("--diff", file.with_name("my.diff"), file)


def test_what_is_going_to_happen_is_told_before() -> None:
    lines: list[str] = []
    show_plan(confs.plan_of(time_s=270.0), lines.append, now_s=0.0)
    assert lines[0] == "off in all arms: limit_req zone=one (nginx.conf:22)"
    assert lines[1].startswith("5 changes, 1 more that this load does not show; about 4.5 min (until ")


def test_what_is_left_out_behind_is_told_before() -> None:
    note = "nginx.conf:27: TLS to the upstream is left out, and what it costs"
    lines: list[str] = []
    show_plan(confs.plan_of(notes=["user nginx is new", note]), lines.append)
    assert note in lines and "user nginx is new" not in lines
