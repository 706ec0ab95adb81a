"""Runs on several sites that go well: two that load themselves, one with a generator's machine, and the check."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import HOPCOST, environment
from systems.sites import EXPERIMENT, Sites

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader

pytestmark = pytest.mark.timeout(300)

WAIT_S = 240.0
SUITE = f"""
name = "sites"
title = "Two arms"
[arms.one]
hops = [{{ program = "origin", link = "http+tcp" }}]
[arms.two]
hops = [{{ program = "origin", link = "http+tcp" }}]
[[experiments]]
name = "{EXPERIMENT}"
question = "?"
baseline = "one"
arms = ["one", "two"]
placement = "one-core"
workload = {{ connections = 4 }}
"""


def run(sites: Sites, folder: Path, *words: object, agent: Path | None = None) -> subprocess.CompletedProcess[str]:
    (folder / "tmp").mkdir(exist_ok=True)
    more = {"TMPDIR": str(folder / "tmp")} | ({"SSH_AUTH_SOCK": str(agent)} if agent is not None else {})
    return subprocess.run(
        [*sites.inside, HOPCOST, *map(str, words)],
        env=environment() | more,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )


@contextmanager
def ssh_agent(key: Path, folder: Path) -> Iterator[Path]:
    """An SSH agent with the key."""
    socket = folder / "agent"
    with subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL) as agent:
        try:
            deadline = time.monotonic() + 10
            while not socket.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            subprocess.run(["ssh-add", "-q", key], env=os.environ | {"SSH_AUTH_SOCK": str(socket)}, check=True)
            yield socket
        finally:
            agent.terminate()


def test_two_sites_measure_into_one_record(two_sites: Sites, tmp_path: Path) -> None:
    suite, record = tmp_path / "suite.toml", tmp_path / "record"
    suite.write_text(SUITE)
    words = ["run", suite, "--fleet", two_sites.file, "--quick", "--time", "30", "--anyway", "--record", record]
    done = run(two_sites, tmp_path, *words)
    kept = reader.read_record(record)
    counting = [block for block in kept.blocks if block.validity is not Validity.VOID]
    assert done.returncode in (0, 4), done.stderr
    assert {block.site for block in counting} == {"a", "b"}, done.stderr
    rates = {load.rate_per_s for block in counting for part in block.arms for load in part.open_loop}
    assert len(rates) == 1, "one load for all"
    assert not any(part.open_loop for block in kept.blocks if block.number < 2 for part in block.arms)
    assert (record / "stacks" / EXPERIMENT / "one" / "commands.json").exists()
    assert set(json.loads((record / "environment.json").read_text())["sites"]) == {"a", "b"}
    assert "Ranges hold on these machines, 2 machines" in " ".join(done.stdout.split())
    assert two_sites.left_after(10) == []


def test_a_site_may_have_a_generators_machine(two_sites: Sites, tmp_path: Path) -> None:
    suite, record, file = tmp_path / "suite.toml", tmp_path / "record", two_sites.folder / "pair.toml"
    suite.write_text(SUITE)
    lines = ["[defaults]", 'user = "root"', 'known_hosts = "known"']
    lines += [line for name in "ab" for line in (f"[hosts.{name}]", f'ssh = "{two_sites.address(name)}"')]
    file.write_text("\n".join([*lines, "[[sites]]", 'stack = "a"', 'generators = ["b"]']) + "\n")
    words = ["run", suite, "--fleet", file, "--quick", "--time", "20", "--anyway", "--record", record]
    with ssh_agent(two_sites.folder / "id", tmp_path) as agent:
        done = run(two_sites, tmp_path, *words, agent=agent)
    kept = reader.read_record(record)
    counting = [block for block in kept.blocks if block.validity is not Validity.VOID]
    assert counting, done.stderr
    assert all(block.site == "a" and list(block.generators) == [two_sites.address("b")] for block in counting)
    assert two_sites.left_after(15) == []


def test_the_check_compares_the_sites_and_warns(two_sites: Sites, tmp_path: Path) -> None:
    done = run(two_sites, tmp_path, "fleet", "check", two_sites.file)
    assert done.returncode == 0, done.stderr
    assert "a: logged in as root" in done.stdout and "alike in all" in done.stdout
    assert "can run code on all the others while a run lasts" in done.stdout
    cleaned = run(two_sites, tmp_path, "fleet", "clean", two_sites.file)
    assert cleaned.returncode == 0 and cleaned.stdout.startswith("a: ")
    assert two_sites.left_after(10) == []
