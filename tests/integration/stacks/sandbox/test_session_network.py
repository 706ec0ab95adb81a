"""Sessions in network namespaces of their own, and links between them."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import psutil
import pytest

from hopcost.stacks import surroundings
from hopcost.stacks.sandbox import namespaces, network
from hopcost.stacks.sandbox.session import Net, Session

pytestmark = pytest.mark.usefixtures("nothing_left")


CORES = sorted(os.sched_getaffinity(0))
needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)


def test_root_has_network_namespaces() -> None:
    assert network.find_network().own or os.geteuid() != 0


@needs_namespaces
def test_a_session_in_a_namespace_of_its_own_has_its_loopback_its_ports_and_its_sysctls(nothing_left: Path) -> None:
    name = "net.core.somaxconn"
    here = Path("/proc/sys/net/core/somaxconn").read_text()
    session = Session(net=Net(sysctls={name: 77, "net.core.no_such": 1, "net.ipv4.tcp_tw_reuse": 9}))
    try:
        assert session.namespace == session.client_namespace
        assert session.sysctls[name] == "77"
        assert "does not exist" in session.refused["net.core.no_such"]
        assert "does not take 9" in session.refused["net.ipv4.tcp_tw_reuse"]
        with socket.create_server(("127.0.0.1", 0)) as outside, namespaces.inside(session.namespace):
            inside = socket.create_server(outside.getsockname())  # the same port: it is another loopback
            with inside, socket.create_connection(inside.getsockname(), timeout=5):
                pass
            assert Path("/proc/thread-self/net/dev").read_text().count(":") == 1, "lo alone"
        assert Path("/proc/sys/net/core/somaxconn").read_text() == here, "the host's is untouched"
        inode = Path(f"/proc/{session.leader}/ns/net").readlink()
        assert inode != Path("/proc/self/ns/net").readlink()
        pid = session.start("sleeper", ["sleep", "600"], CORES, 512)
        assert Path(f"/proc/{pid}/ns/net").readlink() == inode
    finally:
        session.kill()
    holders = [pid for pid in psutil.pids() if _network_of(pid) == inode]
    assert holders == []


@needs_namespaces
@pytest.mark.skipif(namespaces.tool("tc") is None, reason="no tc: apt-get install iproute2")
def test_a_link_joins_two_namespaces_at_its_rate_and_the_host_sees_none_of_it(nothing_left: Path) -> None:
    cards = sorted(path.name for path in Path("/sys/class/net").iterdir())
    session = Session(net=Net(link=True, link_mbit_per_s=50))
    try:
        assert sorted(path.name for path in Path("/sys/class/net").iterdir()) == cards
        assert session.namespace is not None and session.client_namespace is not None
        # Never above the rate, however busy the machine; how far below is not asserted.
        assert 0 < surroundings.measure_link(session.namespace, session.client_namespace, 50) < 52_000_000
    finally:
        session.kill()
    assert sorted(path.name for path in Path("/sys/class/net").iterdir()) == cards


def _network_of(pid: int) -> Path | None:
    try:
        return Path(f"/proc/{pid}/ns/net").readlink()
    except OSError:
        return None
