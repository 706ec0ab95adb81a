"""What a run on two machines makes of trouble: a part that hangs or is slow, a stranger, a full disk."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from systems.two_machine_runs import LEFT_S, agent_of, broken_off, ended, loading, went_on

from hopcost.measure.fleet.authority import AUTHORITY, GENERATOR, certificate_of, key_of, make_certificates
from tools.docs.results.hosts import STACKS, Hosts

pytestmark = pytest.mark.timeout(300)

SLOW_S = 4.0
STOPPED_S, RUNNING_S = 0.3, 0.05
ASK = """
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
context.load_cert_chain(sys.argv[2], sys.argv[3])
with socket.create_connection((sys.argv[4], int(sys.argv[5])), 10) as plain:
    plain.settimeout(10)
    try:
        with context.wrap_socket(plain) as connection:
            connection.sendall(b"\\0\\0\\0\\2{}")
            print(len(connection.recv(1)), "bytes")
    except (ssl.SSLError, ConnectionError) as error:
        print("refused", error)
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for the beginning of a record."""
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk_of_the_stacks_machine_ends_the_run(two_machines: Hosts, tmp_path: Path, small_disk: Path) -> None:
    with loading(two_machines, tmp_path, 30, small_disk / "record") as (process, record, traces):
        with contextlib.suppress(OSError), (small_disk / "full").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        code, said, kept = ended(process, record)
    assert code == 1 and "No space left on device" in said, said
    assert kept.blocks == [], "a block is in the record whole or not at all"
    assert traces.left() == {}
    assert two_machines.left_after(LEFT_S) == []


def test_an_engine_that_hangs_costs_one_block(two_machines: Hosts, tmp_path: Path) -> None:
    with loading(two_machines, tmp_path, 30) as (process, record, traces):
        two_machines.engines()[0].suspend()
        code, said, kept = ended(process, record)
    assert len(broken_off(kept)) == 1, (broken_off(kept), said)
    assert went_on(kept), said
    assert code in (0, 4), said
    assert traces.left() == {}
    assert two_machines.left_after(LEFT_S) == []


@contextmanager
def slow(hosts: Hosts) -> Iterator[None]:
    """The generator's machine stands still most of the time, for a few seconds: its SSH server and its engine."""
    deadline = time.monotonic() + SLOW_S
    while time.monotonic() < deadline:
        processes = [psutil.Process(pid) for pid in hosts.generator_pids()]
        try:
            for process in processes:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.suspend()
            time.sleep(STOPPED_S)
        finally:
            for process in processes:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()
        time.sleep(RUNNING_S)
    yield


def test_a_machine_that_answers_slowly_costs_one_block_at_most(two_machines: Hosts, tmp_path: Path) -> None:
    with loading(two_machines, tmp_path, 30) as (process, record, traces), slow(two_machines):
        code, said, kept = ended(process, record)
    assert len(broken_off(kept)) <= 1, (broken_off(kept), said)
    assert went_on(kept), said
    assert code in (0, 4), said
    assert traces.left() == {}
    assert two_machines.left_after(LEFT_S) == []


def test_a_foreign_certificate_is_refused_and_disturbs_nothing(two_machines: Hosts, tmp_path: Path) -> None:
    foreign = make_certificates()
    for name, content in foreign.items():
        (tmp_path / name).write_bytes(content)
    files = [tmp_path / name for name in (AUTHORITY, certificate_of(GENERATOR), key_of(GENERATOR))]
    with loading(two_machines, tmp_path, 15) as (process, record, traces):
        port = two_machines.stacks_port(agent_of(process.pid).pid)
        words = [*two_machines.outside, sys.executable, "-c", ASK, *map(str, files), STACKS, str(port)]
        asked = subprocess.run(words, check=True, capture_output=True, text=True, timeout=30)
        assert asked.stdout.startswith(("refused", "0 bytes")), asked.stdout
        code, said, kept = ended(process, record)
    assert broken_off(kept) == []
    assert code in (0, 4), said
    assert traces.left() == {}
    assert two_machines.left_after(LEFT_S) == []
