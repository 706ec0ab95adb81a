"""Servers of all kinds speak HTTP/2 with the engine: nginx, HAProxy, Caddy, Go and Node. Every answer is compared."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from processes.freezers import freezers
from processes.needed import need_program

from hopcost.machine import binaries, facts
from hopcost.measure.load.arm import engine_arm
from hopcost.plan.cores import Cores
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_lines import ArmTotals, Slice
from hopcost.programs.generators.engine_plan import EnginePlan, WarmUp
from hopcost.stacks.client import check
from hopcost.stacks.client.address import Address
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm, Hop, Link, SettingValue
from hopcost.suites.experiments.workload import Workload

pytestmark = pytest.mark.usefixtures("nothing_left")

CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])
FRONTS = ("nginx", "haproxy", "caddy")
ORIGINS = ("go-hello", "node-hello")


def start(program: str, settings: Mapping[str, SettingValue]) -> RunningStack:
    raise_open_files()
    need_program(program)
    first = Hop(program=program, link=Link.HTTP2_TLS, settings=dict(settings))
    behind = [Hop(program="origin", link=Link.HTTP_UNIX)] if program in FRONTS else []
    return RunningStack("http2", Arm(hops=[first, *behind]), {}, CORES, Local(freezers()[0]), label="http2")


def load(address: Address, target: str, *options: str) -> dict[str, object]:
    """What the engine counted: 4 connections with 5 requests at a time on each."""
    words = ["load", "--json", "--quiet", "--http2", "-c", "4", "--streams", "5", "-n", "400", "--warm-up", "0s"]
    command = [str(binaries.require("hopcost-engine")), *words, *options]
    command += ["--ca", str(address.ca_file), f"{address.url}{target}"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode in (0, 4), done.stderr.decode()
    counted = json.loads(done.stdout)
    assert counted["errors"] == {}
    assert counted["answers"] >= 400
    assert counted["streams"] == 5
    return dict(counted)


@pytest.mark.parametrize("program", [*FRONTS, *ORIGINS])
def test_every_answer_is_right(program: str) -> None:
    with start(program, {}) as stack:
        address = stack.prepared.address
        assert check.ask("http2", address, "/").body == b"Hello World\n", "HTTP/1.1 is still spoken there"
        for target in ("/", "/512"):
            assert load(address, target)["reconnects"] == 0


@pytest.mark.parametrize("program", FRONTS)
def test_every_byte_of_a_body_arrives(program: str, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(bytes(300_000))
    with start(program, {}) as stack:
        load(stack.prepared.address, "/echo-length", "-m", "POST", "-D", str(body), "--expect-contains", "300000")


@pytest.mark.parametrize("program", ORIGINS)
def test_a_request_with_a_body_is_answered(program: str, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(bytes(300_000))
    with start(program, {}) as stack:
        load(stack.prepared.address, "/", "-m", "PUT", "-D", str(body))


def test_nginx_goes_away_after_so_many_requests_and_none_is_lost() -> None:
    with start("nginx", {"keepalive_requests": 50}) as stack:
        counted = load(stack.prepared.address, "/")
    assert isinstance(counted["reconnects"], int) and counted["reconnects"] >= 400 // 50 - 4


def test_an_arm_over_http2_takes_turns_and_is_frozen_like_any_other() -> None:
    workload = Workload(connections=4, streams=5)
    with start("go-hello", {}) as stack:
        arm = engine_arm(stack, workload, [check.ask_as_loaded("http2", stack.prepared.address, workload)])
        plan = EnginePlan(
            seed=1,
            cores=CORES.generator,
            slice_ns=10**8,
            settle_ns=0,
            rounds=3,
            warm_up=WarmUp(least_ns=1, most_ns=10**8),
            arms=[arm],
            shared_cores=True,
        )
        lines = list(engine.run_engine(plan))
    slices = [line for line in lines if isinstance(line, Slice)]
    (totals,) = (line for line in lines if isinstance(line, ArmTotals))
    assert (arm.wire, arm.streams, len(slices)) == ("http2", 5, 3)
    assert totals.answers == totals.compared > 0 and totals.errors == {}
    assert totals.sent == totals.answers + totals.in_flight
