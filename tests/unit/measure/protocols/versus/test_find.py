"""What becomes of URLs and of the words about processes: names, hops, and the line on the screen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hopcost.errors import CannotMeasure, UsageError
from hopcost.machine.listeners import Listener
from hopcost.measure.protocols.versus import find
from hopcost.measure.protocols.versus.find import Wishes, find_servers, read_named
from hopcost.stacks.attached import processes
from hopcost.stacks.sandbox import session, usage

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
    named = [server.name for server in find_servers(urls, Wishes(http2=frozenset({2})))]
    assert named == ["192.168.255.254:443", "192.168.255.254:443-http2"]
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


def test_a_cgroup_of_version_1_counts_by_its_own_file(monkeypatch: pytest.MonkeyPatch, service: Path) -> None:
    (service / "cpu.stat").write_text("nr_periods 0\nnr_throttled 0\n")
    with pytest.raises(UsageError, match="no CPU time is counted in"):
        found(monkeypatch, SERVICE, cgroups={1: [str(service)]})
    (service / "cpuacct.usage").write_text("12345\n")
    assert usage.account_ns(service) == 12_345
    (service / "cgroup.procs").write_text("77")
    assert hops(found(monkeypatch, SERVICE, cgroups={1: [str(service)]}))[1] == (service.name, [], str(service))


SERVICE = Listener("127.0.0.1:3000", [1], [41, 42], ["app ×2"], None, 0, False)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cgroup that counts, as a service's; the processes of the machine have no descendants."""
    monkeypatch.setattr(session, "process_tree", lambda pid: [pid])
    monkeypatch.setattr(processes, "name_of", lambda pid: f"process-{pid}")
    (tmp_path / "cpu.stat").write_text("usage_usec 12\n")
    return tmp_path


def hops(one: find.Found) -> list[tuple[str, list[int], str | None]]:
    return [(hop.name, hop.pids, hop.cgroup) for hop in one.server.hops]


@pytest.mark.parametrize(
    ("members", "cgroup"), [("41 42", None), ("42", None), ("41 42 77", "its own"), ("77", "beside it")]
)
def test_a_named_cgroup_and_the_server_count_each_process_once(
    monkeypatch: pytest.MonkeyPatch, service: Path, members: str, cgroup: str | None
) -> None:
    (service / "cgroup.procs").write_text(members)
    one = found(monkeypatch, SERVICE, cgroups={1: [str(service)]})
    expected = {
        None: [("app", [41, 42], None)],
        "its own": [("app", [41, 42], str(service))],
        "beside it": [("app", [41, 42], None), (service.name, [], str(service))],
    }
    assert hops(one) == expected[cgroup]


def test_a_named_process_that_serves_the_url_counts_once(monkeypatch: pytest.MonkeyPatch, service: Path) -> None:
    one = found(monkeypatch, SERVICE, pids={1: [42, 50]})
    assert hops(one) == [("app", [41, 42], None), ("process-50", [50], None)]
    assert one.words == "localhost:3000 is app ×2 (pids 41, 42), with process-50 behind it"


def test_processes_that_are_partly_known_are_refused(monkeypatch: pytest.MonkeyPatch, service: Path) -> None:
    monkeypatch.setattr(session, "process_tree", lambda pid: [40, 41] if pid == 40 else [pid])
    with pytest.raises(UsageError, match="URL 1: process-40: some of its processes count as app already"):
        found(monkeypatch, SERVICE, pids={1: [40]})
    (service / "cgroup.procs").write_text("42 77")
    with pytest.raises(UsageError, match="and others do not") as caught:
        found(monkeypatch, SERVICE, cgroups={1: [str(service)]})
    assert caught.value.hint == "--pid for each of the others, or --cgroup for all of them"
