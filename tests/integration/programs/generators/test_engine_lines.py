"""What the engine writes, read by others: histogram logs by hdrh, open-loop plans by the strict structures."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from hopcost.machine import binaries
from hopcost.programs.generators import engine, engine_plan
from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_lines import ArmTotals, Slice
from hopcost.programs.generators.engine_plan import EngineArm, EngineMixed, EnginePlan, Expect, Rate, WarmUp
from hopcost.record.histogram import FIGURES, HIGHEST_NS, LOWEST_NS, merge


@contextmanager
def origin(folder: Path) -> Iterator[str]:
    """The embedded origin; its address."""
    command = [str(binaries.require("hopcost-origin")), "--listen", "http+tcp:127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["listeners"][0]["address"]
        finally:
            process.terminate()


def read_log(path: Path) -> dict[str, HdrHistogram]:
    """By tag, the sum over all intervals."""
    total: dict[str, HdrHistogram] = {}
    reader = HistogramLogReader(str(path), HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES))
    try:
        while (interval := reader.get_next_interval_histogram()) is not None:
            total.setdefault(interval.get_tag(), HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES)).add(interval)
    finally:
        reader.close()
    return total


@pytest.mark.parametrize("shape", [[], ["-r", "1000"]], ids=["closed", "open"])
def test_the_histogram_log_is_read_by_the_official_reader(tmp_path: Path, shape: list[str]) -> None:
    path = tmp_path / "log.hdr"
    with origin(tmp_path) as address:
        done = subprocess.run(
            [
                *(binaries.require("hopcost-engine"), "load", "--json", "-c", "4", "-d", "1500ms"),
                *("--hdr", str(path), *shape, f"http://{address}/hello?delay=exponential:1ms"),
            ],
            capture_output=True,
            check=False,
            timeout=60,
        )
    assert done.returncode in (0, 4), done.stderr
    result = json.loads(done.stdout)
    log = read_log(path)
    assert "service_time" in log
    for tag, histogram in log.items():
        if not tag.startswith("un") and not tag.endswith("unanswered"):
            figures = result[f"{tag}_ns"]
            assert histogram.get_total_count() == figures["count"]
            if figures["unanswered"] == 0:
                for name, percent in (("p50", 50), ("p90", 90), ("p99", 99)):
                    assert histogram.get_value_at_percentile(percent) == pytest.approx(figures[name], rel=0.002)
    assert ("response_time" in log) == ("send_lag" in log) == bool(shape)


def arm_at(
    address: str, *, connections: int = 4, timeout_ns: int = 10**10, arrivals: dict[str, Rate] | None = None
) -> EngineArm:
    """An arm without hops that asks for the origin's greeting."""
    return EngineArm(
        name="a",
        address={"tcp": address},
        connections=connections,
        timeout_ns=timeout_ns,
        request=engine_plan.engine_request("/hello"),
        expect=engine_plan.engine_expect(200, b"Hello World\n"),
        freeze=None,
        hops=[],
        arrivals=arrivals,
    )


def plan_of(arm: EngineArm) -> EnginePlan:
    """Three slices of 100 ms."""
    return EnginePlan(
        seed=1,
        cores=[max(os.sched_getaffinity(0))],
        slice_ns=10**8,
        settle_ns=0,
        rounds=3,
        warm_up=WarmUp(least_ns=1, most_ns=10**8),
        arms=[arm],
    )


def totals_of(arm: EngineArm) -> ArmTotals:
    (totals,) = (line for line in engine.run_engine(plan_of(arm)) if isinstance(line, ArmTotals))
    return totals


def test_whether_every_connection_opened_is_told(tmp_path: Path) -> None:
    with origin(tmp_path) as address:
        assert totals_of(arm_at(address)).all_opened is True
    with socket.create_server(("127.0.0.1", 0), backlog=4) as nobody_accepts:
        host, port = nobody_accepts.getsockname()
        short = totals_of(arm_at(f"{host}:{port}", connections=16, timeout_ns=3 * 10**8))
    assert short.all_opened is False
    assert short.answers == 0


def test_slow_clients_and_idle_connections_have_accounts_of_their_own(tmp_path: Path) -> None:
    with origin(tmp_path) as address:
        arm = arm_at(address)
        arm.slow_clients = EngineSlowClients(number=2, bytes_per_s=10_000)
        arm.idle_connections = EngineIdleConnections(number=3, every_ns=6 * 10**7)
        lines = list(engine.run_engine(plan_of(arm)))
    (totals,) = (line for line in lines if isinstance(line, ArmTotals))
    slices = [line for line in lines if isinstance(line, Slice)]
    for number, of_arm, of_slices in (
        (2, totals.slow_clients, [piece.slow_clients for piece in slices]),
        (3, totals.idle_connections, [piece.idle_connections for piece in slices]),
    ):
        assert of_arm is not None and (of_arm.number, of_arm.established, of_arm.errors) == (number, number, {})
        answers = sum(piece.answers for piece in of_slices if piece is not None)
        assert 0 < answers <= of_arm.answers
        assert merge([of_arm.time]).total == answers, "times are those of slices"
    assert totals.established == 4, "the fast ones alone"


@pytest.mark.parametrize(
    ("expect", "is_right"),
    [
        (engine_plan.engine_expect(200, b"Hello Earth\n", masked=[(6, 11)]), True),
        (engine_plan.engine_expect(200, b"Hello Earth\n", masked=[(6, 10)]), False),
        (engine_plan.engine_expect(200, None, length=12), True),
        (engine_plan.engine_expect(200, None, length=13), False),
        (engine_plan.engine_expect(200, None), True),
    ],
    ids=["masked", "masked too little", "length", "another length", "status"],
)
def test_what_every_answer_must_be(tmp_path: Path, expect: Expect, is_right: bool) -> None:
    with origin(tmp_path) as address:
        arm = arm_at(address)
        arm.expect = expect
        totals = totals_of(arm)
    compared = totals.answers if expect.body_base64 is not None else 0
    assert (totals.answers > 0, totals.compared) == (is_right, compared)
    assert set(totals.errors) == (set() if is_right else {"body"})


@pytest.mark.parametrize("arrivals", [None, "constant", "poisson"])
def test_a_plan_says_when_requests_are_due(tmp_path: Path, arrivals: str | None) -> None:
    with origin(tmp_path) as address:
        arm = arm_at(address, arrivals=None if arrivals is None else {arrivals: Rate(rate_per_s=1000)})
        lines = list(engine.run_engine(plan_of(arm)))
    slices = [line for line in lines if isinstance(line, Slice)]
    (totals,) = (line for line in lines if isinstance(line, ArmTotals))
    assert totals.due == totals.sent + (totals.not_sent or 0)
    for each in slices:
        assert each.due == each.sent + (each.not_sent or 0)
        assert arrivals != "constant" or each.due == 100
    histograms = (totals.response_time, totals.response_unanswered, totals.send_lag, totals.unsent)
    if arrivals is None:
        assert histograms == (None,) * 4
        assert all(each.drain_ns is None for each in slices)
    else:
        response, response_unanswered, _, unsent = (merge([text]) for text in histograms if text is not None)
        assert response.total == sum(each.answers for each in slices)
        assert response_unanswered.total == totals.in_flight + unsent.total


def test_every_request_of_a_mix_has_its_own_accounts(tmp_path: Path) -> None:
    hello = engine_plan.engine_request("/hello"), engine_plan.engine_expect(200, b"Hello World\n")
    failing = engine_plan.engine_request("/hello?fault=status-500"), engine_plan.engine_expect(200, None)
    with origin(tmp_path) as address:
        arm = arm_at(address)
        arm.request = arm.expect = None
        arm.mix = [EngineMixed("page", 3, *hello), EngineMixed("failing", 1, *failing)]
        lines = list(engine.run_engine(plan_of(arm)))
    slices = [line for line in lines if isinstance(line, Slice)]
    (totals,) = (line for line in lines if isinstance(line, ArmTotals))
    page, fails = totals.requests
    assert (page.request, fails.request) == ("page", "failing")
    assert page.answers == sum(piece.answers for piece in slices) > 0
    assert (page.errors, fails.answers) == ({}, 0)
    assert fails.errors == {"status": sum(piece.errors.get("status", 0) for piece in slices)}
    assert page.sent + fails.sent == sum(piece.sent for piece in slices)
    assert merge([page.service_time]).total == page.answers
