"""What arms ask of their surroundings: what they get, what is refused, and what is said of it; end to end."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import command
import pytest
import suites

from hopcost import namespace, network, record, sandbox, usage
from hopcost.network import HOST, Network, Surroundings, Wishes
from hopcost.suite import Arm, Experiment, Hop, Link, Placement

OWN = Network(own=True)
needs_namespaces = pytest.mark.skipif(not network.find().own, reason=f"no network namespaces: {network.find().why}")

SUITE = suites.TWO_ARMS.replace('link = "http+tcp" }]', 'link = "http+tcp", port = 8080 }]').replace(
    '[arms.unix]\nhops = [{ program = "origin", link = "http+unix" }]',
    textwrap.dedent(
        """
        [arms.unix]
        hops = [{ program = "origin", link = "http+tcp", port = 8080 }]
        link_mbit_per_s = 100
        open_files = 600
        [arms.unix.sysctls]
        "net.core.somaxconn" = 99
        "net.core.rmem_max" = 1
        "vm.swappiness" = 3
        """
    ),
)


@needs_namespaces
def test_an_arm_gets_its_sysctls_its_link_its_port_and_its_open_files_and_the_record_says_so(tmp_path: Path) -> None:
    before = Path("/proc/sys/vm/swappiness").read_text(), Path("/proc/sys/net/core/somaxconn").read_text()
    folder = tmp_path / "record"
    done = command.hopcost("run", suites.write(tmp_path, SUITE), "--quick", "--budget", 5, "--record", folder)
    assert done.returncode == 0, done.stderr
    plain, tuned, again = (arm for arm in record.read(folder).blocks[0].arms)
    assert (plain.name, tuned.name, again.name) == ("tcp", "unix", "tcp-aa")
    assert plain.surroundings is not None and tuned.surroundings is not None
    assert (plain.surroundings.network, plain.surroundings.notes, plain.surroundings.sysctls) == ("own", [], {})
    assert tuned.surroundings.sysctls == {"net.core.somaxconn": "99"}
    assert (tuned.surroundings.link_mbit_per_s, tuned.surroundings.open_files) == (100, 600)
    # How near the rate is a matter of the machine; not above it is not.
    assert tuned.surroundings.link_bits_per_s is not None and 0 < tuned.surroundings.link_bits_per_s < 104_000_000
    assert any(note.startswith("vm.swappiness = 3 not applied") for note in tuned.surroundings.notes)
    assert any(note.startswith("net.core.rmem_max = 1: ") for note in tuned.surroundings.notes)
    assert "unix: read back: net.core.somaxconn = 99" in done.stdout.replace("\n  ", " ")
    assert plain.memory["origin"].processes == 1 and (plain.memory["origin"].peak_bytes or 0) > 100_000
    assert [each.hop for each in tuned.time_wait] == ["origin"]
    assert before == (Path("/proc/sys/vm/swappiness").read_text(), Path("/proc/sys/net/core/somaxconn").read_text())


def test_without_namespaces_it_runs_on_the_hosts_loopback_says_so_and_refuses_only_who_needs_more(
    tmp_path: Path,
) -> None:
    text = suites.TWO_ARMS + "\n[arms.tuned]\n" + 'hops = [{ program = "origin", link = "http+tcp" }]\n'
    text += 'sysctls = { "net.core.somaxconn" = 99 }\n'
    text = text.replace('arms = ["tcp", "unix"]', 'arms = ["tcp", "unix", "tuned"]')
    done = command.hopcost(
        *("run", suites.write(tmp_path, text), "--quick", "--budget", 5, "--record", tmp_path / "record"),
        before=["setpriv", "--bounding-set=-sys_admin", "--"] if os.geteuid() == 0 else [],
        extra={network.TRIED: "1"},
    )
    assert "no network namespaces: " in done.stderr and "share the host's loopback" in done.stderr
    read = record.read(tmp_path / "record")
    assert read.environment["network_namespaces"] is False
    assert [failure.arm for failure in read.blocks[0].failures] == ["tuned"]
    assert "net.core.somaxconn: only in a network namespace of its own" in read.blocks[0].failures[0].message
    ran = {arm.name: arm.surroundings for block in read.blocks for arm in block.arms}
    assert {"tcp", "unix"} <= set(ran) and {each.network for each in ran.values() if each is not None} == {"host"}


@pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user every other test runs in a user namespace")
def test_where_only_a_user_namespace_gives_the_right_the_run_goes_into_one(tmp_path: Path) -> None:
    done = command.hopcost(
        *("run", suites.write(tmp_path), "--quick", "--budget", 5, "--record", tmp_path / "record"),
        before=["setpriv", "--bounding-set=-sys_admin", "--"],
    )
    assert done.returncode == 0, done.stderr
    read = record.read(tmp_path / "record")
    assert read.environment["network_namespaces"] is True
    assert {arm.surroundings.network for arm in read.blocks[0].arms if arm.surroundings is not None} == {"own"}


@pytest.mark.parametrize(
    ("wishes", "found", "words"),
    [
        (Wishes(), HOST, None),
        (Wishes(sysctls={"vm.swappiness": 1}, open_files=7), HOST, None),  # said, not refused
        (Wishes(sysctls={"net.core.somaxconn": 1}), HOST, "net.core.somaxconn: only in a network namespace"),
        (Wishes(link_mbit_per_s=9), HOST, "a link of 9 Mbit/s: only in a network namespace"),
        (Wishes(sysctls={"net.core.somaxconn": 1}), OWN, None),
    ],
)
def test_which_arms_cannot_run_here(wishes: Wishes, found: Network, words: str | None) -> None:
    refused = network.missing_for(wishes, found)
    assert (refused is None) == (words is None)
    assert words is None or (refused is not None and words in refused[0])


def test_a_link_without_its_tools_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(namespace, "tool", lambda name: None)
    refused = network.missing_for(Wishes(link_mbit_per_s=9), OWN)
    assert refused == ("a link with a rate: ip and tc not installed", "apt-get install iproute2 (as root)")


@pytest.mark.parametrize(
    ("received", "answers", "is_full"),
    [
        # Full packets: 100 Mbit/s are 12.5 MB, of which answers are 1448 bytes of 1538.
        (10_000_000, 100, False),
        (10_700_000, 100, True),
        (0, 0, False),
        # Answers of 153 bytes: 243 with their packet's head, so 51,440 fill it.
        (40_000 * 153, 40_000, False),
        (50_000 * 153, 50_000, True),
    ],
)
def test_a_link_that_the_answers_fill_is_told(received: int, answers: int, is_full: bool) -> None:
    given = Surroundings(network="own", open_files=1, link_mbit_per_s=100)
    notes = network.with_link_load(given, received, 10**9, answers=answers).notes
    assert any("is full" in note for note in notes) is is_full
    without = Surroundings(network="own", open_files=1)
    assert network.with_link_load(without, 10**12, 10**9, answers=1).notes == []


@needs_namespaces
def test_a_rate_that_no_link_can_have_fails_its_arm_and_the_others_go_on(tmp_path: Path) -> None:
    text = SUITE.replace("link_mbit_per_s = 100", "link_mbit_per_s = 100000000")
    folder = tmp_path / "record"
    done = command.hopcost("run", suites.write(tmp_path, text), "--quick", "--budget", 3, "--record", folder)
    assert done.returncode == 1
    (block, *_) = record.read(folder).blocks
    assert [failure.arm for failure in block.failures] == ["unix"]
    assert block.failures[0].message.startswith("its link could not be made: ")


def test_a_bucket_holds_two_milliseconds_of_the_rate_and_no_less_than_a_few_packets() -> None:
    assert " ".join(namespace.shaping(1000)).startswith(
        "qdisc add dev link0 root tbf rate 1000mbit burst 250000b limit"
    )
    assert "burst 16384b" in " ".join(namespace.shaping(10))


TABLE = """  sl  local_address rem_address   st tx_queue rx_queue
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000
   1: 0100007F:1F90 0100007F:9C40 06 00000000:00000000
   2: 0100007F:9C41 0100007F:1F90 06 00000000:00000000
   3: 0100007F:9C42 0100007F:1F90 06 00000000:00000000
   4: 0100007F:9C43 0100007F:1F90 01 00000000:00000000
   5: 0100007F:9C44 0100007F:1F91 06 00000000:00000000
"""


def test_time_wait_is_told_apart_by_link_and_by_who_closed_first() -> None:
    counted = usage.count_time_wait({"nginx": 8080, "app": 8081}, usage.ports_of(TABLE))
    assert counted == [usage.TimeWait(hop="nginx", server=1, client=2), usage.TimeWait(hop="app", server=0, client=1)]


def test_memory_of_a_process_that_is_gone_is_unknown_not_less() -> None:
    own = usage.memory([os.getpid()])
    assert own.peak_bytes is not None and own.peak_bytes > 1_000_000
    assert usage.memory([os.getpid(), 2**22 + 1]).peak_bytes is None
    assert usage.memory([]).peak_bytes is None


def test_an_arms_own_surroundings_win_over_the_experiments() -> None:
    arm = Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP)], sysctls={"net.a": 1}, open_files=5)
    experiment = Experiment(
        name="e", question="?", baseline="a", arms=["a"], placement=Placement.ALL_CORES,
        sysctls={"net.a": 2, "net.b": 3}, open_files=9, link_mbit_per_s=10,
    )  # fmt: skip
    merged = experiment.surrounded(arm)
    assert (merged.sysctls, merged.open_files, merged.link_mbit_per_s) == ({"net.a": 1, "net.b": 3}, 5, 10)


def test_ports_of_a_new_namespace_are_known_before_there_is_one() -> None:
    assert sandbox.NamespacePorts(None).take() == sandbox.FIRST_PORT_OF_A_NAMESPACE
