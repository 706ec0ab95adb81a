"""Servers of all kinds speak HTTP/2 with the engine: nginx, HAProxy, Caddy, Go and Node. Every answer is compared."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from processes.freezers import freezers
from processes.needed import need_program

from hopcost.machine import binaries, facts
from hopcost.measure.load.arm import engine_arm
from hopcost.plan.cores import Cores
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_lines import ArmTotals, Slice, WarmedUp
from hopcost.programs.generators.engine_plan import EnginePlan, WarmUp
from hopcost.record.histogram import merge
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


def start(program: str, settings: Mapping[str, SettingValue], link: Link = Link.HTTP2_TLS) -> RunningStack:
    """The program, in front of the embedded origin if it is a proxy. Its arm is called `http2` or `https`."""
    raise_open_files()
    need_program(program)
    name = link.value.partition("+")[0]
    behind = [Hop(program="origin", link=Link.HTTP_UNIX)] if program in FRONTS else []
    hops = [Hop(program=program, link=link, settings=dict(settings)), *behind]
    return RunningStack(name, Arm(hops=hops), {}, CORES, Local(freezers()[0]), label=name)


def load(address: Address, target: str, *options: str) -> dict[str, Any]:
    """What the engine counted: 4 connections with 5 requests at a time on each. Nothing failed."""
    words = ["load", "--json", "--quiet", "--http2", "-c", "4", "--streams", "5", "--warm-up", "0s", *options]
    words += ["--ca", str(address.ca_file), f"{address.url}{target}"]
    engine_path = str(binaries.require("hopcost-engine"))
    done = subprocess.run([engine_path, *words], capture_output=True, check=False, timeout=60)
    assert done.returncode in (0, 4), done.stderr.decode()
    counted = json.loads(done.stdout)
    assert counted["errors"] == {}
    assert counted["streams"] == 5
    return dict(counted)


def load_400(address: Address, target: str, *options: str) -> dict[str, Any]:
    """What the engine counted of 400 requests, all of them answered."""
    counted = load(address, target, "-n", "400", *options)
    assert counted["answers"] >= 400
    return counted


@pytest.mark.parametrize("program", [*FRONTS, *ORIGINS])
def test_every_answer_is_right(program: str) -> None:
    with start(program, {}) as stack:
        address = stack.prepared.address
        assert check.ask("http2", address, "/").body == b"Hello World\n", "HTTP/1.1 is still spoken there"
        for target in ("/", "/512"):
            assert load_400(address, target)["reconnects"] == 0


@pytest.mark.parametrize("program", FRONTS)
def test_every_byte_of_a_body_arrives(program: str, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(bytes(300_000))
    with start(program, {}) as stack:
        load_400(stack.prepared.address, "/echo-length", "-m", "POST", "-D", str(body), "--expect-contains", "300000")


@pytest.mark.parametrize("program", ORIGINS)
def test_a_request_with_a_body_is_answered(program: str, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(bytes(300_000))
    with start(program, {}) as stack:
        load_400(stack.prepared.address, "/", "-m", "PUT", "-D", str(body))


def test_nginx_goes_away_after_so_many_requests_and_none_is_lost() -> None:
    with start("nginx", {"keepalive_requests": 50}) as stack:
        counted = load_400(stack.prepared.address, "/")
    assert counted["reconnects"] >= 400 // 50 - 4


@pytest.mark.parametrize("program", [*FRONTS, *ORIGINS])
def test_an_open_loop_is_answered_and_accounted_for(program: str) -> None:
    with start(program, {}) as stack:
        counted = load(stack.prepared.address, "/", "-r", "1000", "-d", "1s")
    assert counted["due"] == counted["sent"] + counted["not_sent"] == 1000
    assert counted["sent"] == counted["answers"] + counted["in_flight"]
    assert counted["compared"] >= counted["answers"] > 0, "and those of the warm-up"
    response = counted["response_time_ns"]
    assert (response["count"], response["unanswered"]) == (counted["answers"], 1000 - counted["answers"])


def test_an_arm_over_http2_takes_turns_with_one_over_https_and_each_is_frozen_meanwhile() -> None:
    workload = Workload(connections=4, streams=5)
    with start("go-hello", {}) as http2, start("go-hello", {}, Link.HTTPS_TCP) as https:
        stacks = [http2, https]
        asked = [check.ask_as_loaded(stack.arm, stack.prepared.address, workload) for stack in stacks]
        arms = [engine_arm(stack, workload, [answer]) for stack, answer in zip(stacks, asked, strict=True)]
        assert [(arm.wire, arm.streams) for arm in arms] == [("http2", 5), ("http", None)]
        assert all(arm.freeze for arm in arms)
        plan = EnginePlan(
            seed=1,
            cores=CORES.generator,
            slice_ns=10**8,
            settle_ns=0,
            rounds=3,
            warm_up=WarmUp(least_ns=1, most_ns=10**8),
            arms=arms,
            shared_cores=True,
        )
        lines = list(engine.run_engine(plan))
        for stack in stacks:
            assert check.ask(stack.arm, stack.prepared.address, "/").status == 200, "it runs again"
    slices = [line for line in lines if isinstance(line, Slice)]
    assert sorted((piece.round, piece.arm) for piece in slices) == list(itertools.product(range(3), ("http2", "https")))
    for before, after in itertools.pairwise(slices):
        assert before.start_ns + before.elapsed_ns <= after.start_ns, "one at a time"
    for arm, at_once in (("http2", 20), ("https", 4)):
        own = [piece for piece in slices if piece.arm == arm]
        assert all(piece.frozen_ns and piece.cpu_ns["go-hello"] for piece in own)
        assert max(piece.cpu_outside_ns["go-hello"] or 0 for piece in own) < 5_000_000, "it stood still meanwhile"
        (warm_up,) = (line for line in lines if isinstance(line, WarmedUp) and line.arm == arm)
        (totals,) = (line for line in lines if isinstance(line, ArmTotals) and line.arm == arm)
        assert (totals.errors, totals.opened, totals.established, totals.reconnects) == ({}, 4, 4, 0)
        assert totals.due == totals.sent == totals.answers + totals.in_flight
        assert totals.compared == totals.answers
        in_slices = sum(piece.answers for piece in own)
        assert merge([totals.service_time]).total == in_slices > 0
        drained = totals.answers - in_slices - sum(warm_up.answers)
        assert 0 <= drained <= at_once, "what was in flight when it was frozen last"
