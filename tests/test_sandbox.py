"""Cores, the means to freeze, ports and open files: decided from what the machine says."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

import pytest

from hopcost import sandbox
from hopcost.errors import CannotMeasure
from hopcost.sandbox import Cores, Freezer, Ports, find_freezer, place
from hopcost.suite import Arm, Hop, Link, Placement

FOUR_WITH_SIBLINGS = {0: [1], 1: [0], 2: [3], 3: [2]}
FOUR_FAR_SIBLINGS = {0: [2], 1: [3], 2: [0], 3: [1]}


@pytest.mark.parametrize(
    ("placement", "allowed", "siblings", "stack", "generator"),
    [
        (Placement.ONE_CORE, [0, 1], {}, [0], [1]),
        (Placement.ONE_CORE, [0, 1], {0: [], 1: []}, [0], [1]),
        (Placement.ONE_CORE, [0, 1, 2, 3], {}, [0], [3]),
        (Placement.ONE_CORE, [0, 1, 2, 3], FOUR_WITH_SIBLINGS, [0], [3]),
        (Placement.ONE_CORE, [0, 1, 2, 3], FOUR_FAR_SIBLINGS, [0], [3]),
        (Placement.ONE_CORE, [1, 2, 3], FOUR_FAR_SIBLINGS, [1], [2]),  # 3 would be the last, and shares with 1
        (Placement.ONE_CORE, [0, 1, 2], {0: [2], 2: [0], 1: []}, [0], [1]),
        (Placement.ONE_CORE, [5, 9], {}, [5], [9]),
        (Placement.ONE_CORE, [0, 1, 2, 3, 4], {0: [2, 3, 4]}, [0], [1]),  # four threads on a core
        (Placement.ALL_CORES, [0, 1], {}, [0, 1], [1]),
        (Placement.ALL_CORES, [0, 1, 2, 3], FOUR_WITH_SIBLINGS, [0, 1, 2, 3], [3]),
        (Placement.ALL_CORES, [2], {}, [2], [2]),
        (Placement.ALL_CORES, [3, 7], {}, [3, 7], [7]),
    ],
)
def test_place(placement, allowed, siblings, stack, generator) -> None:
    assert place(placement, allowed, siblings) == Cores(stack=stack, generator=generator)


@pytest.mark.parametrize(
    ("allowed", "siblings"),
    [([0], {}), ([0, 1], {0: [1], 1: [0]}), ([2, 6], {2: [6], 6: [2]}), ([0, 1, 2, 3], {0: [1, 2, 3]})],
)
def test_one_physical_core_cannot_be_given_to_both(allowed, siblings) -> None:
    with pytest.raises(CannotMeasure) as caught:
        place(Placement.ONE_CORE, allowed, siblings)
    assert caught.value.hint == "choose an experiment on all cores"


@pytest.mark.parametrize(
    ("stack", "generator", "shared"),
    [([0], [1], False), ([0, 1], [1], True), ([0], [0], True), ([0, 1], [2, 3], False)],
)
def test_whether_cores_are_shared(stack, generator, shared) -> None:
    assert Cores(stack=stack, generator=generator).shared is shared


def mounts(v2: Path | None = None, v1: Path | None = None) -> str:
    """/proc/mounts, with decoys that hold no freezer."""
    lines = [
        "proc /proc proc rw,nosuid 0 0",
        "cgroup /sys/fs/cgroup/cpu cgroup rw,nosuid,cpu,cpuacct 0 0",
        "broken",
    ]
    lines += [f"cgroup {v1} cgroup rw,nosuid,freezer 0 0"] if v1 else []
    lines += [f"cgroup2 {v2} cgroup2 rw,nosuid 0 0"] if v2 else []
    return "\n".join(lines) + "\n"


OWN = "7:freezer:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/user.slice/shell\n"


@pytest.fixture
def freezable(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders in which a cgroup could be made; what was tried is asserted by what is found."""
    folders: list[Path] = []
    monkeypatch.setattr(sandbox, "_can_freeze", folders.__contains__)
    return folders


def test_version_2_comes_first(freezable) -> None:
    freezable += [Path("/v2/user.slice/shell"), Path("/v1/docker/abc")]
    found = find_freezer(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN)
    assert found == Freezer(kind="cgroup2", parent="/v2/user.slice/shell", account="/v2/user.slice/shell")


def test_version_1_where_version_2_is_not_writable(freezable) -> None:
    freezable += [Path("/v1/docker/abc")]
    found = find_freezer(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN)
    assert found == Freezer(kind="cgroup1", parent="/v1/docker/abc")


def test_the_root_of_a_tree(freezable) -> None:
    freezable += [Path("/v2")]
    assert find_freezer(mounts(v2=Path("/v2")), "0::/\n") == Freezer(kind="cgroup2", parent="/v2", account="/v2")


def test_the_second_mount_of_a_kind_is_tried_too(freezable) -> None:
    freezable += [Path("/other/user.slice/shell")]
    text = mounts(v2=Path("/v2")) + mounts(v2=Path("/other"))
    assert find_freezer(text, OWN) == Freezer(
        kind="cgroup2", parent="/other/user.slice/shell", account="/other/user.slice/shell"
    )


def test_signals_where_no_cgroup_can_be_made(freezable) -> None:
    found = find_freezer(mounts(v2=Path("/v2"), v1=Path("/v1")), OWN)
    assert found == Freezer(kind="signal", parent=None)
    assert found.cgroup("stack") is None


@pytest.mark.parametrize(("text", "own"), [("", OWN), (mounts(v2=Path("/v2"), v1=Path("/v1")), ""), ("", "")])
def test_signals_where_the_kernel_says_nothing(text, own, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_can_freeze", lambda parent: True)
    assert find_freezer(text, own).kind == "signal"


def test_a_version_1_tree_without_freezer_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_can_freeze", lambda parent: True)
    assert find_freezer(mounts(), OWN).kind == "signal"


def test_a_stacks_cgroup_is_made_in_the_parent() -> None:
    assert Freezer(kind="cgroup2", parent="/v2/shell").cgroup("stack-1") == Path("/v2/shell/stack-1")


def test_an_ordinary_folder_is_no_cgroup_and_nothing_is_left_in_it(tmp_path: Path) -> None:
    (tmp_path / "shell").mkdir()
    (tmp_path / "shell" / "cgroup.procs").touch()
    assert find_freezer(mounts(v2=tmp_path), "0::/shell\n").kind == "signal"
    assert [path.name for path in (tmp_path / "shell").iterdir()] == ["cgroup.procs"]


def test_a_folder_that_does_not_exist_is_no_cgroup(tmp_path: Path) -> None:
    assert find_freezer(mounts(v2=tmp_path), "0::/none\n").kind == "signal"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("files", "freezes", "kind"),
    [
        (["cgroup.procs", "cgroup.freeze"], True, "cgroup2"),
        (["cgroup.procs", "cgroup.freeze"], False, "signal"),  # the files are there and do nothing
        (["cgroup.procs"], True, "signal"),  # a kernel before 5.2: no cgroup.freeze
        (["cgroup.freeze"], True, "signal"),
    ],
)
def test_what_a_new_cgroup_must_have_and_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files, freezes, kind
) -> None:
    """The kernel fills a new cgroup's folder; here `mkdir` does."""
    mkdir = Path.mkdir

    def filled(self: Path, *arguments: object) -> None:
        mkdir(self)
        for name in files:
            (self / name).touch()

    monkeypatch.setattr(Path, "mkdir", filled)
    monkeypatch.setattr(sandbox, "_comes_true", lambda holds: freezes)
    assert find_freezer(mounts(v2=tmp_path), "0::/\n").kind == kind


def local_port_range() -> tuple[int, int]:
    low, high = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    return int(low), int(high)


def test_ports_lie_outside_the_range_of_clients() -> None:
    low, high = local_port_range()
    ports = Ports()
    taken = [ports.take() for _ in range(50)]
    assert len(set(taken)) == 50
    assert all(sandbox.FIRST_PORT <= port < sandbox.LAST_PORT and not low <= port <= high for port in taken)


def only(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let the kernel's range of client ports be this."""
    read_text = Path.read_text

    def read(self: Path, *arguments: object, **named: object) -> str:
        return text if self.name == "ip_local_port_range" else read_text(self)

    monkeypatch.setattr(Path, "read_text", read)


def test_every_port_that_is_free_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "10003\t64998\n")
    monkeypatch.setattr(sandbox.host, "port_is_free", lambda port: port != 10_001)
    ports = Ports()
    assert {ports.take(), ports.take(), ports.take()} == {10_000, 10_002, 64_999}
    with pytest.raises(CannotMeasure, match="no free port is left"):
        ports.take()


def test_where_clients_have_all_ports_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "1024\t65535\n")
    with pytest.raises(CannotMeasure) as caught:
        Ports()
    assert "(1024 to 65535)" in caught.value.message
    assert caught.value.hint == "sysctl net.ipv4.ip_local_port_range='32768 60999'"


def test_a_port_asked_for_is_given_or_refused_with_who_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.host, "port_is_free", lambda port: port == 8080)
    assert Ports.claim(8080, "arm x: app") == 8080
    with pytest.raises(CannotMeasure) as caught:
        Ports.claim(8081, "arm x: app")
    assert caught.value.message == "arm x: app: port 8081 is taken"
    assert "ss -ltnp 'sport = :8081'" in (caught.value.hint or "")


def test_version_1_counts_in_another_hierarchy(freezable, monkeypatch: pytest.MonkeyPatch) -> None:
    freezable += [Path("/v1/docker/abc")]
    monkeypatch.setattr(sandbox, "_can_count", lambda parent: True)
    text = mounts(v1=Path("/v1"))
    freezer = find_freezer(text, OWN)
    account = "/sys/fs/cgroup/cpu/docker/abc"
    assert freezer == Freezer(kind="cgroup1", parent="/v1/docker/abc", account=account)
    assert freezer.cgroups("stack-1") == [Path("/v1/docker/abc/stack-1"), Path(account) / "stack-1"]
    monkeypatch.setattr(sandbox, "_can_count", lambda parent: False)
    assert find_freezer(text, OWN).cgroups("stack-1") == [Path("/v1/docker/abc/stack-1")]


def test_version_2_freezes_and_counts_in_one_cgroup_and_signals_need_none() -> None:
    assert Freezer(kind="cgroup2", parent="/v2", account="/v2").cgroups("stack-1") == [Path("/v2/stack-1")]
    assert Freezer(kind="signal", parent=None).cgroups("stack-1") == []


def test_ports_of_a_namespace_leave_its_clients_their_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.namespace, "inside", lambda path: contextlib.nullcontext())
    only(monkeypatch, "8192\t65535\n")
    ports = sandbox.NamespacePorts("the one that we are in")
    assert [ports.take(), ports.take()] == [2000, 2001]
    assert ports.claim(8080, "anywhere") == 8080
    only(monkeypatch, "1024\t65535\n")
    with pytest.raises(CannotMeasure, match="no ports between 2000 and 65000"):
        sandbox.NamespacePorts("the one that we are in").take()


def with_port(port: int | None) -> Arm:
    return Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP, port=port)])


def test_two_arms_that_want_one_port_of_the_hosts_loopback_are_refused() -> None:
    sandbox.refuse_the_same_port([("a", with_port(8080)), ("b", with_port(8081)), ("c", with_port(None))])
    with pytest.raises(CannotMeasure, match="arms a and c both ask for port 8080") as caught:
        sandbox.refuse_the_same_port([("a", with_port(8080)), ("b", with_port(None)), ("c", with_port(8080))])
    assert "leave `port` out" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("hard", "wanted", "given"),
    [(20_000, None, 20_000), (20_000, 512, 512), (20_000, 10**6, 20_000), (resource.RLIM_INFINITY, None, 1 << 20)],
)
def test_an_arms_open_files_are_capped_at_the_hard_limit(open_files, hard, wanted, given) -> None:
    open_files["is"] = (1024, hard)
    assert sandbox.open_files(wanted) == given


@pytest.fixture
def open_files(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, int]]:
    """This process's limit, as it is and as it was set last."""
    limits = {"is": (1024, 20_000)}
    monkeypatch.setattr(sandbox.resource, "getrlimit", lambda kind: limits["is"])
    monkeypatch.setattr(sandbox.resource, "setrlimit", lambda kind, limit: limits.__setitem__("set", limit))
    return limits


def test_the_soft_limit_of_open_files_becomes_the_hard_one(open_files) -> None:
    assert sandbox.raise_open_files() == 20_000
    assert open_files["set"] == (20_000, 20_000)


def test_no_limit_of_open_files_is_enough_for_anything(open_files) -> None:
    open_files["is"] = (1024, resource.RLIM_INFINITY)
    assert sandbox.raise_open_files() > 10**9
