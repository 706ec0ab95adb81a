"""Runs whose arms ask for sysctls, a link, ports and open files: what they get and what is refused."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import command
import pytest
from texts import suite_files

from hopcost.record import reader
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.network import TRIED

needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)
SUITE = suite_files.TWO_ARMS.replace('link = "http+tcp" }]', 'link = "http+tcp", port = 8080 }]').replace(
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
    done = command.hopcost(
        *("run", "--anyway", suite_files.write(tmp_path, SUITE), "--quick", "--time", 5, "--record", folder),
        "--details=machine",
    )
    assert done.returncode == 0, done.stderr
    plain, tuned, again = (arm for arm in reader.read_record(folder).blocks[0].arms)
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
    text = suite_files.TWO_ARMS + "\n[arms.tuned]\n" + 'hops = [{ program = "origin", link = "http+tcp" }]\n'
    text += 'sysctls = { "net.core.somaxconn" = 99 }\n'
    text = text.replace('arms = ["tcp", "unix"]', 'arms = ["tcp", "unix", "tuned"]')
    path, record = suite_files.write(tmp_path, text), tmp_path / "record"
    done = command.hopcost(
        *("run", "--anyway", path, "--quick", "--time", 5, "--record", record),
        before=["setpriv", "--bounding-set=-sys_admin", "--"] if os.geteuid() == 0 else [],
        extra={TRIED: "1"},
    )
    assert "no network namespaces: " in done.stderr and "share the host's loopback" in done.stderr
    read = reader.read_record(tmp_path / "record")
    assert read.environment["network_namespaces"] is False
    assert [failure.arm for failure in read.blocks[0].failures] == ["tuned"]
    assert "net.core.somaxconn: only in a network namespace of its own" in read.blocks[0].failures[0].message
    ran = {arm.name: arm.surroundings for block in read.blocks for arm in block.arms}
    assert {"tcp", "unix"} <= set(ran) and {each.network for each in ran.values() if each is not None} == {"host"}


@pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user every other test runs in a user namespace")
def test_where_only_a_user_namespace_gives_the_right_the_run_goes_into_one(tmp_path: Path) -> None:
    done = command.hopcost(
        *("run", "--anyway", suite_files.write(tmp_path), "--quick", "--time", 5, "--record", tmp_path / "record"),
        before=["setpriv", "--bounding-set=-sys_admin", "--"],
    )
    assert done.returncode == 0, done.stderr
    read = reader.read_record(tmp_path / "record")
    assert read.environment["network_namespaces"] is True
    assert {arm.surroundings.network for arm in read.blocks[0].arms if arm.surroundings is not None} == {"own"}


@needs_namespaces
def test_a_rate_that_no_link_can_have_fails_its_arm_and_the_others_go_on(tmp_path: Path) -> None:
    text = SUITE.replace("link_mbit_per_s = 100", "link_mbit_per_s = 100000000")
    folder = tmp_path / "record"
    done = command.hopcost(
        "run", "--anyway", suite_files.write(tmp_path, text), "--quick", "--time", 3, "--record", folder
    )
    assert done.returncode == 1
    (block, *_) = reader.read_record(folder).blocks
    assert [failure.arm for failure in block.failures] == ["unix"]
    assert block.failures[0].message.startswith("its link could not be made: ")
