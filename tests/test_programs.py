"""Conformance of all programs over all links: same status, body and header bytes, keep-alive, no child left."""

from __future__ import annotations

import http.client
import itertools
import time

import psutil
import pytest
from conftest import freezers

from hopcost import check, machine, program
from hopcost.errors import UsageError
from hopcost.sandbox import Cores, Ports, raise_open_files
from hopcost.stack import Address, RunningStack
from hopcost.suite import Arm, Hop, Link

pytestmark = pytest.mark.usefixtures("nothing_left")

CORES = Cores(stack=machine.allowed_cores(), generator=machine.allowed_cores()[-1:])
ORIGINS = ["go-hello", "origin"]


def hop(name: str, link: Link, **settings: int) -> Hop:
    return Hop(program=name, link=link, settings=dict(settings))


def arms() -> dict[str, Arm]:
    """Each origin alone over HTTP, each behind nginx over every link, and nginx by itself."""
    alone = {
        f"{origin} over {link.value}": Arm(hops=[hop(origin, link)])
        for origin, link in itertools.product(ORIGINS, (Link.HTTP_TCP, Link.HTTP_UNIX))
    }
    behind = {
        f"nginx before {origin} over {link.value}": Arm(hops=[hop("nginx", Link.HTTP_TCP), hop(origin, link)])
        for origin, link in itertools.product(ORIGINS, Link)
    }
    return (
        alone
        | behind
        | {"nginx over http+unix": Arm(hops=[hop("nginx", Link.HTTP_UNIX), hop("go-hello", Link.HTTP_TCP)])}
    )


@pytest.fixture(scope="module", autouse=True)
def everything_is_there() -> None:
    """A missing program fails, it is never skipped: `make setup` brings them all."""
    raise_open_files()
    missing = {name: program.installed(name).missing for name in program.names() if program.installed(name).missing}
    assert missing == {}


def start(name: str, arm: Arm) -> RunningStack:
    return RunningStack(name, arm, {}, CORES, freezers()[0], Ports(), label="test")


def answers_on_one_connection(address: Address, count: int) -> list[tuple[int, bytes]]:
    """Status and body of several requests, which must all fit on one connection."""
    with address.connect(10.0) as connection:
        found = []
        for _ in range(count):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            response = http.client.HTTPResponse(connection, method="GET")
            response.begin()
            assert not response.will_close
            found.append((response.status, response.read()))
        return found


@pytest.mark.parametrize("name", arms())
def test_every_arm_answers_alike_keeps_the_connection_and_leaves_no_process(name: str) -> None:
    with start(name, arms()[name]) as stack:
        answer = check.ask(name, stack.prepared.address, "/")
        assert (answer.status, answer.body, answer.header_bytes) == (200, b"Hello World\n", 141)
        assert answers_on_one_connection(stack.prepared.address, 3) == [(200, b"Hello World\n")] * 3
        processes = [pid for pids in stack.processes.values() for pid in pids]
        assert len(processes) >= len(arms()[name].hops)
        assert stack.failure() is None
    assert not any(psutil.pid_exists(pid) for pid in processes)


def test_nginx_runs_as_many_workers_as_asked_for() -> None:
    arm = Arm(hops=[hop("nginx", Link.HTTP_TCP, worker_processes=3), hop("origin", Link.HTTP_TCP)])
    with start("workers", arm) as stack:
        deadline = time.monotonic() + 10  # it listens before it has forked them all
        while len(stack.processes["nginx"]) < 1 + 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(stack.processes["nginx"]) == 1 + 3


def test_a_setting_that_a_program_does_not_know_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="go-hello has no setting 'gomaxproc'") as caught:
        start("typo", Arm(hops=[hop("go-hello", Link.HTTP_TCP, gomaxproc=1)]))
    assert caught.value.hint == "did you mean 'gomaxprocs'?"


@pytest.mark.parametrize(
    ("hops", "message"),
    [
        ([hop("nginx", Link.FASTCGI_TCP)], "nginx cannot be reached over fastcgi\\+tcp"),
        ([hop("go-hello", Link.HTTP_TCP), hop("origin", Link.HTTP_TCP)], "go-hello does not forward over http\\+tcp"),
    ],
)
def test_a_link_that_a_program_does_not_speak_is_a_usage_error(hops: list[Hop], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        start("link", Arm(hops=hops))


@pytest.mark.parametrize("name", program.names())
def test_every_program_has_a_readme_of_its_choices(name: str) -> None:
    assert (program.load(name).folder / "README.md").read_text().startswith(f"# {name}\n")
