"""What becomes of URLs and of the words about processes: names, hops, and the line on the screen."""

from __future__ import annotations

import os
from typing import Any

import pytest

from hopcost.errors import CannotMeasure, UsageError
from hopcost.machine.listeners import Listener
from hopcost.measure.protocols.versus import find
from hopcost.measure.protocols.versus.find import Wishes, find_servers, read_named
from hopcost.stacks.attached import processes

GUNICORN = Listener("127.0.0.1:3000", [1], [41, 42, 43], ["gunicorn ×3"], None, 0, False)
PROXY = Listener("127.0.0.1:3000", [1], [7], ["docker-proxy"], None, 0, True)
UNREADABLE = Listener("127.0.0.1:3000", [1], [], [], None, 33, False)


def found(monkeypatch: pytest.MonkeyPatch, listener: Listener | None, **wishes: Any) -> find.Found:
    monkeypatch.setattr(processes, "listener_of", lambda _server: listener)
    return find_servers([":3000"], Wishes(**wishes))[0]


def test_a_listener_is_named_with_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found(monkeypatch, GUNICORN)
    assert one.words == "localhost:3000 is gunicorn ×3 (pids 41, 42, 43)"
    assert [(hop.name, hop.pids) for hop in one.server.hops] == [("gunicorn", [41, 42, 43])]
    assert (one.server.host, one.server.target, one.server.is_here) == ("localhost:3000", "/", True)


def test_what_works_behind_it_is_a_hop_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found(monkeypatch, GUNICORN, pids={1: [os.getpid()]})
    assert [hop.listens for hop in one.server.hops] == [True, False]
    assert one.server.hops[1].pids == [os.getpid()] and one.words.endswith(f"with {one.server.hops[1].name} behind it")


def test_docker_proxy_is_never_taken_for_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found(monkeypatch, PROXY)
    assert one.server.hops == [] and one.server.is_unseen
    assert one.words.endswith("which only forwards: name the container's process with --pid 1=PID")
    named = found(monkeypatch, PROXY, pids={1: [os.getpid()]})
    assert len(named.server.hops) == 1 and "through docker-proxy" in named.words


def test_processes_of_another_user_have_no_cpu_time_and_the_screen_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "another user's: no CPU time" in found(monkeypatch, UNREADABLE).words
    assert "not to be seen from here: no CPU time" in found(monkeypatch, None).words


def test_nothing_is_looked_for_behind_another_machines_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "listener_of", lambda _server: pytest.fail("nobody is asked"))
    (one,) = find_servers(["http://192.168.255.254:81/"], Wishes())
    assert one.words == "192.168.255.254:81 runs elsewhere: throughput and response times only"
    assert not one.server.is_here and not one.server.is_unseen


def test_http2_is_spoken_with_the_urls_that_are_named_if_they_have_tls() -> None:
    urls = ["https://192.168.255.254/", "https://192.168.255.254/"]
    servers = [server.server for server in find_servers(urls, Wishes(http2=frozenset({2})))]
    assert [server.link for server in servers] == ["https+tcp", "http2+tls"]
    assert servers[1].server_name == "192.168.255.254"
    with pytest.raises(UsageError, match=r"--http2 1: `:3000` is reached without TLS"):
        find_servers([":3000"], Wishes(http2=frozenset({1})))


def test_what_started_hopcost_is_not_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotMeasure, match="started hopcost"):
        found(monkeypatch, None, pids={1: [os.getpid()]}, freeze=True)
    with pytest.raises(CannotMeasure, match="no process of it is known"):
        found(monkeypatch, None, freeze=True)


@pytest.mark.parametrize("word", ["4711", "0=4711", "3=4711", "2=", "a=b"])
def test_a_process_belongs_to_one_of_the_urls(word: str) -> None:
    with pytest.raises(UsageError, match="from 1 to 2"):
        read_named("--pid", [word], 2)


def test_a_process_that_is_not_there_and_a_cgroup_that_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no such process"):
        found(monkeypatch, GUNICORN, pids={1: [2**22 + 1]})
    with pytest.raises(UsageError, match="no CPU time is counted in /tmp"):
        found(monkeypatch, GUNICORN, cgroups={1: ["/tmp"]})
