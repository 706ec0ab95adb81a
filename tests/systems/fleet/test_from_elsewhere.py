"""`hopcost run --on s=HOST,g=HOST`: both machines are other ones."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import command
import pytest
from processes.needed import need_command
from texts import suite_files

from hopcost.record import reader
from tools.docs.results.hosts import GENERATOR, STACKS, Hosts

pytestmark = pytest.mark.timeout(200)

WAIT_S = 200.0


@contextmanager
def agent(hosts: Hosts) -> Iterator[dict[str, str]]:
    """An SSH agent with the key, in the environment."""
    need_command("ssh-agent", "apt-get install openssh-client")
    path = hosts.folder / "agent"
    with subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL) as process:
        try:
            environment = {"SSH_AUTH_SOCK": str(path)}
            deadline = time.monotonic() + 10
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            subprocess.run(["ssh-add", "-q", hosts.folder / "id"], env=os.environ | environment, check=True)
            yield environment
        finally:
            process.terminate()
            path.unlink(missing_ok=True)


def words(hosts: Hosts, folder: Path, seconds: int) -> list[str]:
    suite = suite_files.write(folder)
    on = f"s=root@{STACKS},g=root@{GENERATOR}"
    record = ["--quick", "--time", str(seconds), "--anyway", "--record", str(folder / "record")]
    return ["run", f"{suite}/links", *record, "--on", on, "--known-hosts", str(hosts.folder / "known")]


def test_it_runs_there_and_the_record_comes_here(two_machines: Hosts, tmp_path: Path) -> None:
    with agent(two_machines) as environment:
        run = command.hopcost(*words(two_machines, tmp_path, 8), before=two_machines.outside, extra=environment)
    kept = reader.read_record(tmp_path / "record")
    assert kept.blocks and all(part.errors == {} for block in kept.blocks for part in block.arms)
    machines = kept.environment["generator_machines"]
    assert isinstance(machines, list) and len(machines) == 1
    own = machines[0]
    assert (own["name"], own["stacks_address"]) == (GENERATOR, STACKS)
    assert f"record: {tmp_path / 'record'}" in run.stderr
    assert run.returncode in (0, 4), run.stdout + run.stderr  # 4: a busy machine voids starts
    assert "a Unix socket is not reached" in run.stderr
    assert list(two_machines.stacks_temporary.iterdir()) == []
    assert two_machines.left_after(5) == []


def test_another_version_there_is_refused(two_machines: Hosts, tmp_path: Path) -> None:
    other = two_machines.folder / "bin-tmp-s" / "hopcost"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho hopcost 0.0.9\n")
    other.chmod(0o755)
    try:
        with agent(two_machines) as environment:
            run = command.hopcost(*words(two_machines, tmp_path, 8), before=two_machines.outside, extra=environment)
    finally:
        other.unlink()
        other.parent.rmdir()
    assert run.returncode == 3 and "it has hopcost 0.0.9, this machine" in run.stderr, run.stderr
    assert not (tmp_path / "record").exists()
    assert list(two_machines.stacks_temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_its_end_here_is_its_end_there(two_machines: Hosts, tmp_path: Path, number: signal.Signals) -> None:
    with agent(two_machines) as environment:
        process = subprocess.Popen(
            [*two_machines.outside, command.HOPCOST, *words(two_machines, tmp_path, 60)],
            env=command.environment() | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            deadline = time.monotonic() + WAIT_S
            while not two_machines.engines():
                assert process.poll() is None and process.stderr is not None, process.stderr and process.stderr.read()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(number)
            process.communicate(timeout=WAIT_S)
    assert process.returncode == (130 if number is signal.SIGINT else -number)
    deadline = time.monotonic() + 30
    while list(two_machines.stacks_temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert list(two_machines.stacks_temporary.iterdir()) == []
    assert two_machines.left_after(15) == []
