"""Ports outside the range of clients, and open files up to the hard limit."""

from __future__ import annotations

import resource

import pytest

from hopcost.errors import CannotMeasure
from hopcost.plan.method import METHOD
from hopcost.stacks.sandbox import ports as sandbox_ports
from hopcost.stacks.sandbox.ports import NamespacePorts, Ports, client_ports, refuse_the_same_port
from hopcost.suites.arms.arm import Arm, Hop, Link


def test_ports_lie_outside_the_range_of_clients() -> None:
    low, high = client_ports()
    ports = Ports()
    taken = [ports.take() for _ in range(50)]
    assert len(set(taken)) == 50
    assert all(METHOD.first_port <= port < METHOD.last_port and not low <= port <= high for port in taken)


def test_every_port_that_is_free_is_given_once_before_the_first_comes_again() -> None:
    taken = {10_001}
    ports, free = Ports((10_003, 64_998), is_free=lambda port: port not in taken), {10_000, 10_002, 64_999}
    assert {ports.take(), ports.take(), ports.take()} == free
    assert {ports.take(), ports.take(), ports.take()} == free
    taken |= free
    with pytest.raises(CannotMeasure, match="no free port is left"):
        ports.take()


def test_where_clients_have_all_ports_the_remedy_is_named() -> None:
    with pytest.raises(CannotMeasure) as caught:
        Ports((1024, 65_535))
    assert "(1024 to 65535)" in caught.value.message
    assert caught.value.hint == "sysctl net.ipv4.ip_local_port_range='32768 60999'"


def test_a_port_asked_for_is_given_or_refused_with_who_has_it() -> None:
    ports = Ports(is_free=lambda port: port == 8080)
    assert ports.claim(8080, "arm x: app") == 8080
    with pytest.raises(CannotMeasure) as caught:
        ports.claim(8081, "arm x: app")
    assert caught.value.message == "arm x: app: port 8081 is taken"
    assert "ss -ltnp 'sport = :8081'" in (caught.value.hint or "")


def test_ports_of_a_namespace_leave_its_clients_their_range() -> None:
    ports = NamespacePorts((8192, 65_535))
    assert [ports.take(), ports.take()] == [2000, 2001]
    assert ports.claim(8080, "anywhere") == 8080
    with pytest.raises(CannotMeasure, match="no ports between 2000 and 65000"):
        NamespacePorts((1024, 65_535)).take()


def with_port(port: int | None) -> Arm:
    return Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP, port=port)])


def test_two_arms_that_want_one_port_of_the_hosts_loopback_are_refused() -> None:
    refuse_the_same_port([("a", with_port(8080)), ("b", with_port(8081)), ("c", with_port(None))])
    with pytest.raises(CannotMeasure, match="stacks a and c both ask for port 8080") as caught:
        refuse_the_same_port([("a", with_port(8080)), ("b", with_port(None)), ("c", with_port(8080))])
    assert "leave `port` out" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("hard", "wanted", "given"),
    [(20_000, None, 20_000), (20_000, 512, 512), (20_000, 10**6, 20_000), (resource.RLIM_INFINITY, None, 1 << 20)],
)
def test_an_arms_open_files_are_capped_at_the_hard_limit(
    open_files: dict[str, tuple[int, int]], hard: int, wanted: int | None, given: int
) -> None:
    open_files["is"] = (1024, hard)
    assert sandbox_ports.open_files(wanted) == given


@pytest.fixture
def open_files(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, int]]:
    """This process's limit, as it is and as it was set last."""
    limits = {"is": (1024, 20_000)}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits["is"])
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limit: limits.__setitem__("set", limit))
    return limits


def test_the_soft_limit_of_open_files_becomes_the_hard_one(open_files: dict[str, tuple[int, int]]) -> None:
    assert sandbox_ports.raise_open_files() == 20_000
    assert open_files["set"] == (20_000, 20_000)


def test_no_limit_of_open_files_is_enough_for_anything(open_files: dict[str, tuple[int, int]]) -> None:
    open_files["is"] = (1024, resource.RLIM_INFINITY)
    assert sandbox_ports.raise_open_files() > 10**9
