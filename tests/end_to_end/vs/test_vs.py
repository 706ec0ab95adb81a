"""`hopcost vs` as a person runs it, against embedded origins that run by themselves."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command
import pytest
from processes.origins import Origin, origin
from processes.running import wait_until
from processes.waiting_app import waiting

from hopcost.record.contents.run import Record
from hopcost.record.reader import read_record
from hopcost.stacks.sandbox.processes import stat_fields
from hopcost.statistics.summary.summary import summarise
from hopcost.statistics.verdict import Better, judge_interval

SHORT = ("--anyway", "--time", 12, "-c", 8)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Origin, Origin]]:
    with origin(tmp_path) as first, origin(tmp_path) as second:
        yield first, second


def measured(tmp_path: Path, *words: object) -> tuple[Record, dict[str, Any], str]:
    """The record, its JSON report, and what was said meanwhile."""
    folder = tmp_path / "record"
    done = command.hopcost("vs", *words, *SHORT, "--record", folder, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return read_record(folder), json.loads(done.stdout)["experiments"][0], done.stderr


def word_on(record: Record, arm: str) -> str:
    """The word of an arm's ratio in throughput, had nobody said --anyway."""
    (experiment,) = summarise(record)
    comparison = next(one for one in experiment.arms if one.name == arm).comparison("throughput")
    assert comparison is not None
    return judge_interval(comparison.ratio, experiment.margin, Better.HIGHER).word


@pytest.mark.usefixtures("nothing_left")
def test_two_servers_are_named_counted_and_left_running(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    record, report, said = measured(tmp_path, first.url(), second.url())
    for one in pair:
        assert f"{one.address} is hopcost-origin (pid {one.pid})" in said
        assert one.process.poll() is None
    (planned,) = record.plan.experiments
    assert (planned.scope.value, report["scope"]) == ("processes", "processes")
    assert planned.opened_each_turn == [], "it keeps idle connections"
    assert [arm.name for arm in planned.arms] == [first.address, second.address, f"{first.address}-aa"]
    totals = {first.address: 0, second.address: 0}
    for block in record.blocks:
        assert len(block.arms) == 3 and not block.failures
        for part in block.arms:
            assert part.totals is not None and part.errors == {} and part.totals.opened == 8, "opened anew"
            assert all(piece.cpu_ns["hopcost-origin"] for piece in part.slices)
            assert all(piece.cpu_settling_ns["hopcost-origin"] for piece in part.slices)
            in_block = part.totals.answers + sum(load.totals.answers for load in part.open_loop)
            totals[part.copy_of or part.name] += in_block
    # Each server is asked twice before; alone, beside idle connections and beside twice as many; twice on the one
    # that is watched idle; then once for each arm of a batch.
    assert second.answered() == totals[second.address] + 7 + len(record.blocks)
    assert first.answered() == totals[first.address] + 7 + 2 * len(record.blocks)


@pytest.mark.usefixtures("nothing_left")
def test_fifty_milliseconds_more_are_slower(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    record, report, _ = measured(tmp_path, first.url(), second.url("/hello?delay=constant:50ms"))
    assert word_on(record, second.address) == "slower"
    (slower,) = [arm for arm in report["arms"] if arm["name"] == second.address]
    assert slower["ratio"]["high"] < 1
    shown = " ".join(command.hopcost("report", tmp_path / "record").stdout.split())
    assert "That is as these two processes run now; how much a restart moves it is not measured." in shown
    assert " start" not in shown.replace("a restart", "").replace("--details=starts", "").replace("another start", "")
    refused = command.hopcost("compare", tmp_path / "record", tmp_path / "record")
    assert refused.returncode in (0, 2), "two records of processes may be compared"


@pytest.mark.usefixtures("nothing_left")
def test_frozen_servers_stand_still_and_run_again(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    record, _, _ = measured(tmp_path, first.url(), second.url(), "--freeze")
    outside = [
        piece.cpu_outside_ns["hopcost-origin"] or 0
        for block in record.blocks
        for part in block.arms
        if part.name == second.address
        for piece in part.slices
    ]
    assert max(outside) < 5_000_000, "it stood still while the other was loaded"
    assert [stat_fields(one.pid)[0] == "T" for one in pair] == [False, False]
    assert [one.answered() > 0 for one in pair] == [True, True]


@pytest.mark.usefixtures("nothing_left")
def test_a_killed_run_leaves_nobody_frozen(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    words = ("vs", first.url(), second.url(), "--freeze", "--anyway", "--time", 60, "--record", tmp_path / "record")
    with command.start(*words, folder=tmp_path) as running:
        assert wait_until(lambda: any(stat_fields(server.pid)[0] == "T" for server in pair)), "one is always frozen"
        running.send_signal(signal.SIGKILL)
    assert wait_until(lambda: all(stat_fields(one.pid)[0] != "T" for one in pair), settled_s=2.0)


@pytest.mark.usefixtures("nothing_left")
def test_an_interrupted_run_reports_its_batches(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    words = ("vs", first.url(), second.url(), "--anyway", "--time", 60, "-c", 8, "--record", tmp_path / "record")
    with command.start(*words, folder=tmp_path) as running:
        blocks = tmp_path / "record" / "blocks.jsonl"
        assert wait_until(lambda: blocks.exists() and b"\n" in blocks.read_bytes(), within_s=60)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=30)
    assert running.returncode == 130, errors
    assert "interrupted: results so far" in output and first.address in output


@pytest.mark.usefixtures("nothing_left")
def test_answers_that_differ_are_shown_and_compared_by_what_they_share(
    tmp_path: Path, pair: tuple[Origin, Origin]
) -> None:
    first, second = pair
    record, _, said = measured(tmp_path, first.url("/512"), second.url("/json"))
    assert "their answers differ, so" in said and f"--- {first.address}" in said and f"+++ {second.address}" in said
    assert record.plan.experiments[0].workload.expect.compared.value in ("length", "status")
    assert "is compared" in command.hopcost("report", tmp_path / "record", "--details").stdout.replace("\n", " ")


@pytest.mark.usefixtures("nothing_left")
def test_a_socket_file_and_one_process_under_two_names(tmp_path: Path, nothing_left: Path) -> None:
    path = nothing_left / "own.sock"
    with origin(tmp_path, f"http+unix:{path}") as one:
        record, _, said = measured(tmp_path, f"unix:{path}:/hello", f"unix:{path}:/json", "--any-body")
        assert f"own.sock-hello is hopcost-origin (pid {one.pid})" in said
        shown = " ".join(command.hopcost("report", tmp_path / "record", "--details").stdout.split())
        assert "own.sock-hello and own.sock-json are served by the same processes." in shown
        assert all(piece.cpu_ns["hopcost-origin"] for piece in record.blocks[0].arms[0].slices)


@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_drops_idle_connections_has_new_ones_for_each_turn(tmp_path: Path) -> None:
    with waiting("impatient") as first, waiting("impatient") as second:
        record, _, said = measured(tmp_path, first.url(), second.url())
    (planned,) = record.plan.experiments
    (reason,) = planned.opened_each_turn
    assert re.fullmatch(r"python\S* drops idle ones after 1(\.\d)? s", reason), "its own time-out is a second"
    servers = [arm.arm.server for arm in planned.arms]
    assert all(server is not None and server.blocked_by_idle is None for server in servers)
    refuse_errors(record)
    assert "how they treat idle connections" in said
    shown = " ".join(command.hopcost("report", tmp_path / "record", "--details").stdout.split())
    assert f"Connections are opened anew for each turn: {reason}." in shown


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("kind", ["single", "single-closes", "waits-once"])
def test_a_single_worker_serves_its_arms_in_turn(tmp_path: Path, pair: tuple[Origin, Origin], kind: str) -> None:
    with waiting(kind) as one:
        record, _, _ = measured(tmp_path, one.url(), pair[0].url(), "--any-body")
    (planned,) = record.plan.experiments
    (reason,) = planned.opened_each_turn
    assert reason.startswith("while others are open and idle, python")
    refuse_errors(record)
    if kind == "single":
        assert planned.open_loop_shares == [] and any("no open loop: beside one" in note for note in planned.notes)


def refuse_errors(record: Record) -> None:
    """Nothing failed in any batch, each turn had connections of its own, and every slice had answers."""
    assert record.blocks
    for block in record.blocks:
        assert len(block.arms) == 3 and not block.failures
        for part in block.arms:
            assert part.totals is not None and part.totals.opened is not None
            assert part.errors == {} and [load.totals.errors for load in part.open_loop if load.totals.errors] == []
            assert part.totals.in_flight == 0 and part.totals.sent == part.totals.answers
            assert part.totals.opened >= 8 * (1 + len(part.slices))
            assert part.totals.established == 0
            assert all(piece.answers > 0 for piece in part.slices)


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("/nowhere", 2, ["answers with status 404", "--expect-status 404"]),
        ("/hello?fault=status-500", 2, ["fails with status 500", "see its log"]),
        ("/hello?fault=hang", 3, ["cannot be reached"]),
    ],
)
def test_answers_that_cannot_be_loaded(
    tmp_path: Path, pair: tuple[Origin, Origin], target: str, code: int, words: list[str]
) -> None:
    first, second = pair
    done = command.hopcost("vs", first.url(), second.url(target), "-T", 1, *SHORT, folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert [word for word in words if word not in done.stderr] == []
    assert not (tmp_path / "records").exists()


def test_nobody_listens_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = command.hopcost("vs", f":{port}", f":{port}", folder=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "cannot be reached: Connection refused" in done.stderr and "is the server running" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([":1"], "needs two URLs"),
        ([":1", "http://8.8.8.8/"], "--i-may-load-this"),
        ([":1", ":2", "--pid", "3=1"], "from 1 to 2"),
        ([":1", ":2", "--pid", "1=x"], "not a process number"),
        ([":1", ":2", "-H", "nonsense"], "-H: expected 'NAME: VALUE'"),
        ([":1", ":2", "-m", "G T"], "not a method"),
        ([":1", ":2", "-D", "nowhere"], "--body-file nowhere: no such file"),
        ([":1", ":2", "-k", "--ca", os.devnull], "no such file"),
        (["ftp://h", ":2"], "`ftp` is not spoken here"),
    ],
)
def test_a_wrong_word_is_told_before_anything_is_loaded(tmp_path: Path, words: list[str], told: str) -> None:
    done = command.hopcost("vs", *words, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr and "Traceback" not in done.stderr


def test_another_users_server_is_not_frozen(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    if os.geteuid() != 0:
        pytest.fail("this test needs root, as CI has: another user must be there")
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    words = ("vs", first.url(), second.url(), "--freeze", "--pid", f"1={first.pid}", *SHORT)
    done = command.hopcost(*words, folder=Path("/"), before=as_nobody)
    assert done.returncode == 3, done.stderr
    assert "another user's" in done.stderr
    subprocess.run(["true"], check=True)
