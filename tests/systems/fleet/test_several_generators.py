"""`hopcost run --on g=HOST,g=HOST`: two machines make one load, on stacks of a third one."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import psutil
import pytest
from command import HOPCOST, environment
from systems.sites import EXPERIMENT, Sites
from systems.two_machine_runs import broken_off, ended, went_on

from hopcost.record import reader

pytestmark = pytest.mark.timeout(300)

WAIT_S = 240.0
LEFT_S = 15.0
CONNECTIONS, RATE = 5, 800
SUITE = f"""
name = "shared"
title = "Two arms"
[arms.one]
hops = [{{ program = "origin", link = "http+tcp" }}]
[arms.two]
hops = [{{ program = "nginx", link = "https+tcp" }}, {{ program = "origin", link = "http+tcp" }}]
[[experiments]]
name = "{EXPERIMENT}"
question = "?"
baseline = "one"
arms = ["one", "two"]
placement = "one-core"
workload = {{ connections = {CONNECTIONS} }}
"""


def command(sites: Sites, folder: Path, *words: str) -> list[str]:
    """A run on the controller, loaded from both sites' machines."""
    suite = folder / "suite.toml"
    suite.write_text(SUITE)
    on = ",".join(f"g=root@{sites.address(name)}" for name in sites.names)
    access = ["--ssh-key", str(sites.folder / "id"), "--known-hosts", str(sites.folder / "known")]
    options = ["--quick", "--anyway", "--record", str(folder / "record")]
    return [*sites.inside, str(HOPCOST), "run", str(suite), "--on", on, *access, *options, *words]


def start(sites: Sites, folder: Path, *words: str) -> subprocess.Popen[str]:
    (folder / "tmp").mkdir()
    return subprocess.Popen(
        command(sites, folder, *words),
        env=environment() | {"TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_machines_make_one_load(two_sites: Sites, tmp_path: Path) -> None:
    with start(two_sites, tmp_path, "--time", "30", "--rate", str(RATE), "--details") as process:
        shown, said = process.communicate(timeout=WAIT_S)
    assert process.returncode in (0, 4), shown + said  # 4: a busy machine voids starts
    kept = reader.read_record(tmp_path / "record")
    machines = [two_sites.address(name) for name in two_sites.names]
    assert [own["name"] for own in kept.environment["generator_machines"]] == machines  # type: ignore[attr-defined]
    assert kept.blocks and broken_off(kept) == []
    for block in kept.blocks:
        assert block.failures == []
        assert list(block.generators) == machines
        for part in block.arms:
            assert part.errors == {} and part.totals is not None
            assert part.totals.established == CONNECTIONS
            (load,) = part.open_loop
            for piece in (*part.slices, *load.slices):
                assert [own.machine for own in piece.generators] == machines
                assert all(own.answers > 0 and own.agent is not None for own in piece.generators)
                assert sum(own.answers for own in piece.generators) == piece.answers
            loads_ns = [piece.elapsed_ns - (piece.drain_ns or 0) - piece.freeze_ns for piece in load.slices]
            for place in range(len(machines)):
                due = sum(piece.generators[place].due or 0 for piece in load.slices)
                assert due == pytest.approx(RATE / 2 * sum(loads_ns) / 1e9, rel=0.4), "each has half of the arrivals"
    for machine in machines:
        assert f"generator on {machine}" in shown
    assert two_sites.left_after(LEFT_S) == []


def test_the_death_of_one_engine_costs_one_block(two_sites: Sites, tmp_path: Path) -> None:
    with start(two_sites, tmp_path, "--time", "25") as process:
        engine = _engine_of(two_sites, two_sites.names[-1], process)
        time.sleep(0.5)  # it warms up
        engine.kill()
        code, said, kept = ended(process, tmp_path / "record")
    (why,) = broken_off(kept)
    assert two_sites.address(two_sites.names[-1]) in why, "the machine that lost its engine is named"
    assert went_on(kept), said
    assert code in (0, 4), said
    assert two_sites.left_after(LEFT_S) == []


def test_more_machines_than_connections_are_refused(two_sites: Sites, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    words = command(two_sites, tmp_path, "--time", "5")
    (tmp_path / "suite.toml").write_text(SUITE.replace(f"connections = {CONNECTIONS}", "connections = 1"))
    done = subprocess.run(
        words, env=environment() | {"TMPDIR": str(tmp_path / "tmp")}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert f"{EXPERIMENT} has fewer connections (1) than generators (2)" in done.stderr
    assert not (tmp_path / "record").exists()
    assert two_sites.left_after(LEFT_S) == []


def _engine_of(sites: Sites, name: str, run: subprocess.Popen[str]) -> psutil.Process:
    deadline = time.monotonic() + WAIT_S
    while True:
        if engines := sites.engines(name):
            return engines[0]
        assert run.poll() is None and run.stderr is not None, run.stderr and run.stderr.read()
        assert time.monotonic() < deadline, "it did not begin to load"
        time.sleep(0.05)
