"""`hopcost run --on g=HOST`: stacks on one machine, the generator on another one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import command
import pytest
from processes.needed import need_program
from texts import suite_files

from hopcost.record import reader
from hopcost.record.contents.evidence import NetworkKind
from tools.docs.results.hosts import GENERATOR, STACKS, Hosts

pytestmark = pytest.mark.timeout(300)

BEHIND = """
[arms.nginx]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "origin", link = "http+unix" }]
[arms.tls]
hops = [{ program = "nginx", link = "https+tcp" }, { program = "origin", link = "http+tcp" }]
[[experiments]]
name = "behind"
question = "What does nginx cost?"
baseline = "tcp"
arms = ["tcp", "nginx", "tls", "unix"]
placement = "one-core"
workload = { connections = 8 }
"""


def test_a_shipped_suite_runs_with_its_generator_elsewhere(two_machines: Hosts, tmp_path: Path) -> None:
    need_program("nginx")
    need_program("go-hello")
    record = tmp_path / "record"
    words = ["nginx-go", "one-core", "--quick", "--time", 30, "--anyway", "--record", record, "--details"]
    run = command.hopcost("run", *two_machines.options, *words, before=two_machines.inside)
    assert run.returncode in (0, 4), run.stdout + run.stderr  # 4: a busy machine voids starts
    kept = reader.read_record(record)
    assert kept.blocks
    for block in kept.blocks:
        assert block.failures == []
        assert block.generators[GENERATOR].elapsed_ns > 0
        for part in block.arms:
            assert part.errors == {}
            for piece in part.slices:
                assert piece.answers > 0
                assert piece.agent is not None and piece.agent.thaw.round_trip_ns > 0
                assert all(used for used in piece.cpu_ns.values()), "the agent has read every hop's clock"
    experiment = kept.plan.experiments[0]
    assert (experiment.cores.generator_machine, experiment.cores.shared) == (GENERATOR, False)
    machines = kept.environment["generator_machines"]
    assert isinstance(machines, list) and len(machines) == 1
    own = machines[0]
    assert (own["name"], own["stacks_address"]) == (GENERATOR, STACKS)
    assert f"generator on {GENERATOR}" in run.stdout
    assert two_machines.left_after(5) == []


def test_links_offered_loads_and_what_another_machine_cannot_reach(two_machines: Hosts, tmp_path: Path) -> None:
    need_program("nginx")
    record = tmp_path / "record"
    suite = suite_files.write(tmp_path, suite_files.TWO_ARMS + BEHIND)
    words = [f"{suite}/behind", "--quick", "--time", 40, "--anyway", "--rate", 200, "--record", record]
    run = command.hopcost("run", *two_machines.options, *words, before=two_machines.inside)
    kept = reader.read_record(record)
    experiment = kept.plan.experiments[0]
    assert [left.name for left in experiment.left_out] == ["unix"]
    assert "a Unix socket is not reached from another machine" in run.stderr
    assert run.returncode in (0, 4), run.stdout + run.stderr  # 4: a busy machine voids starts
    (block, *_) = kept.blocks
    assert {part.name for part in block.arms} == {"tcp", "nginx", "tls", "tcp-aa"}
    for part in block.arms:
        assert part.errors == {}
        assert part.surroundings is not None and part.surroundings.network is NetworkKind.HOST
        (load,) = part.open_loop
        assert load.totals.answers > 0
        assert all(piece.agent is not None and piece.agent.late_ns is None for piece in load.slices)
    (tls,) = (part for part in block.arms if part.name == "tls")
    assert tls.totals is not None and tls.totals.tls, "its certificate was trusted there"


def test_the_engine_is_sent_once(two_machines: Hosts, tmp_path: Path) -> None:
    shutil.rmtree(two_machines.cache)
    two_machines.cache.mkdir()
    suite = suite_files.write(tmp_path)
    changes: list[int] = []
    for number in range(2):
        words = [suite, "links", "--quick", "--time", 3, "--anyway", "--record", tmp_path / f"{number}"]
        command.hopcost("run", *two_machines.options, *words, before=two_machines.inside)
        (engine,) = (two_machines.cache / "hopcost").iterdir()
        assert engine.stat().st_mode & 0o777 == 0o700
        changes.append(engine.stat().st_mtime_ns)
    assert changes[0] == changes[1]
    assert json.loads((tmp_path / "1" / "run.json").read_text())
