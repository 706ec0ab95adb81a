"""Conformance of all programs in all their forms: routes, status, body, keep-alive, 404, clean stop, no child left.

A program that is not installed is skipped with the reason; in CI those that `make setup` brings must be there.
"""

from __future__ import annotations

import http.client
import itertools
import os
import signal
from collections.abc import Mapping

import psutil
import pytest
from processes.freezers import freezers
from processes.needed import need_program

from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.programs import content, read
from hopcost.programs.content import ROUTES, SIZES
from hopcost.programs.receipt import installed
from hopcost.stacks.client import check
from hopcost.stacks.client.address import Address
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites import read as suite_files
from hopcost.suites.arms.arm import Arm, Hop, Link, SettingValue

pytestmark = pytest.mark.usefixtures("nothing_left")

CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])
CLIENT_LINKS = (Link.HTTP_TCP, Link.HTTP_UNIX, Link.HTTPS_TCP, Link.HTTP2_TLS)  # the last with HTTP/1.1 too
GZIP = [("Accept-Encoding", "gzip")]

# Forms of a program besides the one that its defaults are, as an origin and as a proxy.
ORIGIN_FORMS: dict[str, list[dict[str, SettingValue]]] = {
    "nginx": [{"content": "static"}, {"content": "lua"}, {"content": "static", "open_file_cache": False}],
    "apache2": [{"mpm": "event"}, {"processes": 5, "access_log": True}],
    "express": [{"manager": "pm2", "instances": 2}],
    "go-hello": [{"tcp_nodelay": False}, {"heap_mib": 1}, {"work_us": 10}],
    "origin": [{"work_rounds": 1000}, {"work_us": 10}],
}
PROXY_FORMS: dict[str, list[dict[str, SettingValue]]] = {
    "nginx": [
        {"upstream_keepalive": 0},
        {"cache_s": 5},
        {"access_log": True, "multi_accept": False, "reuseport": True},
    ],
    "go-proxy": [{"upstream_keepalive": 0}],
    "haproxy": [{"http_reuse": "safe", "balance": "leastconn"}],
    "caddy": [{"upstream_keepalive": 0}, {"balance": "least_conn"}],
}
CLOSES = {"gunicorn-hello"}  # behind each answer: its sync workers keep no connection
ENDS_WITH = {"haproxy": -signal.SIGTERM}  # it closes everything, and lets the signal end it
GZIP_ARMS: dict[str, dict[str, SettingValue]] = {
    "nginx": {"content": "static", "gzip": True},
    "apache2": {"gzip": True},
}


def hop(name: str, link: Link, settings: Mapping[str, SettingValue] | None = None, copies: int = 1) -> Hop:
    return Hop(program=name, link=link, settings=dict(settings or {}), copies=copies)


def words(name: str, settings: dict[str, SettingValue]) -> str:
    return name + "".join(f" {key}={value}" for key, value in settings.items())


def forms(table: dict[str, list[dict[str, SettingValue]]], name: str) -> list[dict[str, SettingValue]]:
    return [{}, *table.get(name, [])]


def arms() -> dict[str, Arm]:
    """Each origin in each form over each link that a client speaks, and each proxy before an origin over each link."""
    listed = {}
    for name in read.shipped_programs():
        definition = read.read_program(name)
        client_links = [link for link in definition.links if link in CLIENT_LINKS]
        if definition.is_origin:
            for settings, link in itertools.product(forms(ORIGIN_FORMS, name), client_links):
                listed[f"{words(name, settings)} over {link.value}"] = Arm(hops=[hop(name, link, settings)])
        for upstream, settings in itertools.product(definition.upstream_links, forms(PROXY_FORMS, name)):
            listed[f"{words(name, settings)} before origin over {upstream.value}"] = Arm(
                hops=[hop(name, client_links[0], settings), hop("origin", upstream)]
            )
        if definition.upstream_links:
            for link in client_links[1:]:
                listed[f"{name} over {link.value} before origin"] = Arm(
                    hops=[hop(name, link), hop("origin", definition.upstream_links[0])]
                )
        if definition.balances:
            listed[f"{name} before 3 origins"] = Arm(
                hops=[hop(name, client_links[0]), hop("origin", definition.upstream_links[0], copies=3)]
            )
    return listed


@pytest.fixture(scope="module", autouse=True)
def all_open_files() -> None:
    raise_open_files()


def start(name: str, arm: Arm) -> RunningStack:
    """The arm, alive; the test is skipped where one of its programs, or what its settings need, is not there."""
    for needed in arm.hops:
        need_program(needed.program, needed.settings)
    return RunningStack(name, arm, {}, CORES, Local(freezers()[0]), label="test")


def answers_on_one_connection(
    address: Address, targets: list[str], *, is_kept: bool = True
) -> list[tuple[int, str | None, bytes]]:
    """Status, media type and body of several requests, which must all fit on one connection."""
    with address.connect(10.0) as connection:
        answers: list[tuple[int, str | None, bytes]] = []
        for target in targets:
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            response = http.client.HTTPResponse(connection, method="GET")
            response.begin()
            assert response.will_close is not is_kept
            media_type = (response.getheader("Content-Type") or "").partition(";")[0]
            answers.append((response.status, media_type, response.read()))
        return answers


@pytest.mark.parametrize("name", arms())
def test_every_form_answers_all_routes_on_one_connection_and_leaves_no_process(name: str) -> None:
    with start(name, arms()[name]) as stack:
        targets, address = [route.path for route in [*ROUTES, *ROUTES]], stack.prepared.address
        if stack.prepared.hops[0].program in CLOSES:
            answers = [answers_on_one_connection(address, [target], is_kept=False)[0] for target in targets]
        else:
            answers = answers_on_one_connection(address, targets)
        assert answers == [(200, route.media_type, route.body.encode()) for route in [*ROUTES, *ROUTES]]
        assert check.ask(name, stack.prepared.address, "/no-such-path").status == 404
        processes = [pid for pids in stack.processes.values() for pid in pids]
        assert len(processes) >= len(stack.prepared.hops) == sum(each.copies for each in arms()[name].hops)
        assert stack.failure() is None
    expected = {each.name: ENDS_WITH.get(each.program, 0) for each in stack.prepared.hops}
    assert stack.session.exited == expected, "each ends well on SIGTERM"
    assert not any(psutil.pid_exists(pid) for pid in processes)


@pytest.mark.parametrize("name", suite_files.read_suite("static").arms)
def test_every_arm_of_static_serves_the_same_files(name: str) -> None:
    with start(name, suite_files.read_suite("static").arms[name]) as stack:
        for file in SIZES:
            answer = check.ask(name, stack.prepared.address, f"/files/{file}")
            assert answer.status == 200
            assert answer.body == (content.large_files_folder() / file).read_bytes()
        assert check.ask(name, stack.prepared.address, "/files/none").status == 404


NGINX_GO = ["go-hello", "origin"]  # what the article's arms answer is as long in all of them


@pytest.mark.parametrize("origin", NGINX_GO)
@pytest.mark.parametrize("link", [link for link in Link if not link.is_tls], ids=lambda link: link.value)
def test_the_hello_has_as_many_header_bytes_behind_nginx_as_alone(origin: str, link: Link) -> None:
    arm = Arm(hops=[hop("nginx", Link.HTTP_TCP), hop(origin, link)])
    with start("behind", arm) as stack:
        answer = check.ask("behind", stack.prepared.address, "/")
    assert (answer.status, answer.body, answer.header_bytes) == (200, b"Hello World\n", 141)
    if link is Link.HTTP_TCP:
        with start("alone", Arm(hops=[hop(origin, link)])) as stack:
            assert check.ask("alone", stack.prepared.address, "/").header_bytes == 141


@pytest.mark.parametrize("name", GZIP_ARMS)
def test_gzip_is_for_those_who_accept_it_and_the_decoded_body_is_the_same(name: str) -> None:
    with start("plain", Arm(hops=[hop(name, Link.HTTP_TCP)])) as stack:
        plain = check.ask("plain", stack.prepared.address, "/static.txt", GZIP)
    with start("gzip", Arm(hops=[hop(name, Link.HTTP_TCP, GZIP_ARMS[name])])) as stack:
        asked = check.ask("gzip", stack.prepared.address, "/static.txt", GZIP)
        unasked = check.ask("gzip", stack.prepared.address, "/static.txt")
    assert (plain.content_encoding, asked.content_encoding, unasked.content_encoding) == (None, "gzip", None)
    assert len(asked.body) < len(asked.decoded) == 1024
    check.compare_answers("plain", plain, "gzip", asked)


def test_gzip_shrinks_the_static_file_of_nginx_by_the_articles_factor() -> None:
    """1.25, heads and chunk lengths included."""
    with start("gzip", Arm(hops=[hop("nginx", Link.HTTP_TCP, GZIP_ARMS["nginx"])])) as stack:
        plain = check.ask("gzip", stack.prepared.address, "/static.txt")
        packed = check.ask("gzip", stack.prepared.address, "/static.txt", GZIP)
    assert "Transfer-Encoding: chunked" in packed.head
    chunks = len(f"{len(packed.body):x}\r\n") + len("\r\n0\r\n\r\n")
    ratio = (plain.header_bytes + len(plain.body)) / (packed.header_bytes + chunks + len(packed.body))
    assert ratio == pytest.approx(1.25, abs=0.01)


@pytest.mark.parametrize(
    ("name", "settings", "children"),
    [("nginx", {"worker_processes": 3}, 3), ("apache2", {"processes": 7}, 7), ("apache2", {"mpm": "event"}, 16)],
)
def test_a_stack_is_ready_when_all_its_workers_are_there(
    name: str, settings: dict[str, SettingValue], children: int
) -> None:
    with start("workers", Arm(hops=[hop(name, Link.HTTP_TCP, settings)])) as stack:
        assert len(stack.processes[name]) == 1 + children


def test_a_balancer_sends_to_every_copy() -> None:
    arm = Arm(hops=[hop("nginx", Link.HTTP_TCP, {"worker_processes": 1}), hop("origin", Link.HTTP_TCP, copies=3)])
    with start("balanced", arm) as stack:
        assert [each.name for each in stack.prepared.hops] == ["nginx", "origin-1", "origin-2", "origin-3"]
        answers_on_one_connection(stack.prepared.address, ["/"] * 6)
        (nginx_worker,) = stack.processes["nginx"][1:]
        ports = {connection.raddr.port for connection in psutil.Process(nginx_worker).net_connections("tcp4")
                 if connection.status == psutil.CONN_ESTABLISHED}  # fmt: skip
        assert ports >= {int(each.address.address.partition(":")[2]) for each in stack.prepared.hops[1:]}


def test_a_cache_asks_the_next_hop_once() -> None:
    """By nginx's own count of what it passed on, which is also the receipt of the setting."""
    arm = Arm(hops=[hop("nginx", Link.HTTP_TCP, {"cache_s": 60}), hop("origin", Link.HTTP_TCP)])
    with start("cached", arm) as stack:
        answers_on_one_connection(stack.prepared.address, ["/json"] * 5)
        assert (stack.session.directory / "nginx-passed.log").read_text().splitlines() == ["MISS"]


@pytest.mark.parametrize("name", read.shipped_programs())
def test_every_program_has_a_readme_of_its_choices(name: str) -> None:
    assert (read.read_program(name).folder / "README.md").read_text().startswith(f"# {name}\n")


def test_ci_has_every_program() -> None:
    """Nothing is skipped there: `make setup` brings them all."""
    if "CI" not in os.environ:
        pytest.skip("only where CI is set")
    receipts = {name: installed(name) for name in read.shipped_programs()}
    assert {name: receipt.missing for name, receipt in receipts.items() if receipt.missing} == {}
    assert {name: receipt.lacking for name, receipt in receipts.items() if receipt.lacking} == {}
