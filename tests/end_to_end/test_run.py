"""Whole runs, real engine, real servers: the record, the report, interrupts, kills, exact accounts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import command
import pytest
from processes.freezers import leavings
from processes.needed import need_program
from processes.running import WAIT_S, descendants, gone, is_worker, wait_for_block, wait_for_engine
from texts import suite_files

from hopcost.record.histogram import merge

pytestmark = pytest.mark.usefixtures("nothing_left")


def report(record: Path) -> dict[str, object]:
    done = command.hopcost("report", record, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_a_run_leaves_a_record_whose_report_is_what_was_printed(tmp_path: Path) -> None:
    record = tmp_path / "record"
    done = command.hopcost(
        "run", "--anyway", suite_files.write(tmp_path), "--quick", "--time", 12, "--seed", 5, "--record", record
    )
    assert done.returncode == 0, done.stdout + done.stderr
    content = report(record)
    experiment = content["experiments"][0]  # type: ignore[index]
    assert [arm["name"] for arm in experiment["arms"]] == ["tcp", "unix"]
    assert experiment["blocks"] >= 1 and experiment["baseline"] == "tcp"
    for arm in experiment["arms"]:
        assert arm["answers"] > 0 and sum(arm["errors"].values()) == 0
        assert arm["cpu_ns_per_request"]["origin"] > 0 and arm["cpu_ns_per_request"]["generator"] > 0
        assert 0 < arm["service_time_ns"]["p50"] <= arm["service_time_ns"]["p99"]
    again = command.hopcost("report", record)
    assert done.stdout == again.stdout


def test_quiet_leaves_the_report_alone_and_a_log_has_a_line_for_each_block(tmp_path: Path) -> None:
    suite = suite_files.write(tmp_path)
    silent = command.hopcost(
        "run", "--anyway", suite, "--quick", "--time", 4, "--quiet", "--record", tmp_path / "silent"
    )
    assert (silent.returncode, silent.stderr) == (0, "")
    assert "Noise: tcp measured twice differed by" in " ".join(silent.stdout.split())
    said = command.hopcost("run", "--anyway", suite, "--quick", "--time", 4, "--record", tmp_path / "said")
    blocks = (tmp_path / "said" / "blocks.jsonl").read_text().count("\n")
    assert blocks and len(re.findall(r"^links start \d.* left", said.stderr, re.MULTILINE)) == blocks
    assert "\x1b" not in said.stderr


def test_the_same_seed_takes_the_same_order_of_slices(tmp_path: Path) -> None:
    orders = []
    for number in range(2):
        record = tmp_path / f"record{number}"
        done = command.hopcost(
            "run", "--anyway", suite_files.write(tmp_path), "--quick", "--time", 3, "--seed", 7, "--record", record
        )
        assert done.returncode == 0, done.stderr
        block = json.loads((record / "blocks.jsonl").read_text().splitlines()[0])
        slices = [each for arm in block["arms"] for each in arm["slices"]]
        orders.append([each["arm"] for each in sorted(slices, key=lambda each: (each["round"], each["place"]))][:6])
    assert orders[0] == orders[1]


def test_accounts_hold_and_equal_what_the_origin_counted(tmp_path: Path) -> None:
    record = tmp_path / "record"
    command.hopcost("run", "--anyway", suite_files.write(tmp_path), "--quick", "--time", 3, "--record", record)
    block = json.loads((record / "blocks.jsonl").read_text().splitlines()[0])
    for arm in block["arms"]:
        totals = arm["totals"]
        errors = sum(count for kind, count in totals["errors"].items() if kind not in ("connect", "tls"))
        assert totals["sent"] == totals["answers"] + totals["in_flight"] + errors
        measured = sum(each["answers"] for each in arm["slices"])
        # the rest: what settled the arm before its slices, and the drain
        assert totals["answers"] >= measured + sum(arm["warm_up"]["answers"]) and totals["in_flight"] == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_run_and_keeps_the_blocks(tmp_path: Path, number: signal.Signals) -> None:
    record = tmp_path / "record"
    with command.start(
        "run", "--anyway", suite_files.write(tmp_path), "--time", 60, "--record", record, folder=tmp_path
    ) as process:
        wait_for_block(record, process)
        wait_for_engine(process)
        family = descendants(process.pid)
        process.send_signal(number)
        output, errors = process.communicate(timeout=WAIT_S)
        assert process.returncode == 130
        assert output.count("interrupted") == 1 and "interrupted" not in errors, "told once"
        assert gone(family)
        assert report(record)["experiments"][0]["blocks"] >= 1  # type: ignore[index]


def test_an_interrupt_before_the_first_start_is_done_is_two_lines(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with command.start(
        "run", "--anyway", suite_files.write(tmp_path), "--time", 60, "--record", record, folder=tmp_path
    ) as process:
        wait_for_engine(process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=WAIT_S)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines()[-2:] == [
        "interrupted before the first start was done: nothing to report",
        f"record: {record}",
    ]


def test_kill_9_leaves_a_readable_record_and_no_process(tmp_path: Path, nothing_left: Path) -> None:
    record = tmp_path / "record"
    with command.start(
        "run", "--anyway", suite_files.write(tmp_path), "--time", 60, "--record", record, folder=tmp_path
    ) as process:
        wait_for_block(record, process)
        wait_for_engine(process)
        family = descendants(process.pid)
        process.kill()
        process.communicate()
        assert gone(family)
        deadline = time.monotonic() + WAIT_S
        while leavings(nothing_left) and time.monotonic() < deadline:
            time.sleep(0.01)
        content = report(record)
        assert content["ended_utc"] is None
        assert content["experiments"][0]["blocks"] >= 1  # type: ignore[index]


def test_an_engine_killed_in_the_middle_is_told_and_the_block_done_again(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with command.start(
        *("run", "--anyway", suite_files.write(tmp_path), "--quick", "--time", 15, "--record", record),
        "--details=starts",
        folder=tmp_path,
    ) as process:
        wait_for_engine(process).kill()
        output, errors = process.communicate(timeout=90)
        assert process.returncode == 0, output + errors
        assert "killed by signal 9" in errors
        assert "killed by signal 9" in output
        first = json.loads((record / "blocks.jsonl").read_text().splitlines()[0])
        assert first["validity"] == "void"
        assert report(record)["experiments"][0]["blocks"] >= 1  # type: ignore[index]


def test_up_starts_an_arm_that_answers_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    with command.start("up", f"{suite_files.write(tmp_path)}/links/tcp", folder=tmp_path) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not (lines and lines[-1].startswith("Ctrl-C")):
            line = process.stdout.readline()
            assert line, process.communicate()
            lines.append(line)
        url = next(line.split()[1] for line in lines if line.startswith("URL:"))
        assert any(line.startswith("idle cores: ") for line in lines)
        answered = subprocess.run(["curl", "-s", "--max-time", "10", url], capture_output=True, text=True, check=True)
        assert answered.stdout == "Hello World\n"
        family = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=WAIT_S)
        assert output.strip() == "stopped"
        assert gone(family)


def test_the_engine_alone_needs_no_python(tmp_path: Path) -> None:
    with command.start("up", f"{suite_files.write(tmp_path)}/links/tcp", folder=tmp_path) as process:
        assert process.stdout is not None
        url = ""
        while not url:
            line = process.stdout.readline()
            assert line, process.communicate()
            url = line.split()[1] if line.startswith("URL:") else ""
        done = command.hopcost("load", "-c", 4, "-t", 1, "-d", "1s", "--json", url)
        assert done.returncode in (0, 4), done.stderr  # 4: suspect, as on a machine that is stolen from
        result = json.loads(done.stdout)
        assert result["answers"] > 0
        assert sum(result["errors"].values()) == 0
        assert result["elapsed_ns"] > 0 and result["throughput_per_s"] > 0
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=WAIT_S)


def test_after_the_closed_loop_every_arm_is_offered_the_same_loads(tmp_path: Path) -> None:
    record = tmp_path / "record"
    suite = suite_files.write(tmp_path, suite_files.TWO_ARMS.replace("open_loop = false\n", ""))
    with command.start(
        "run", "--anyway", suite, "--time", 100, "--loads", 2, "--record", record, folder=tmp_path
    ) as process:
        first = record / "blocks.jsonl"
        ends = time.monotonic() + 5 * WAIT_S
        while not (first.exists() and first.read_text()) and time.monotonic() < ends:
            assert process.poll() is None, process.communicate()
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)  # one block is enough
        process.communicate(timeout=WAIT_S)
    block = json.loads((record / "blocks.jsonl").read_text().splitlines()[0])
    assert len(block["open_ends"]) == 2
    assert block["longest_stall_ns"] > 0 and abs(block["clock_step_ns"]) < 5_000_000
    rates = {tuple(load["rate_per_s"] for load in arm["open_loop"]) for arm in block["arms"]}
    assert len(rates) == 1 and len(next(iter(rates))) == 2
    for arm in block["arms"]:
        assert arm["worker_cpu_ns"]["origin"][0] > 0 and arm["restarts"] == {}
        for load in arm["open_loop"]:
            totals = load["totals"]
            assert totals["due"] == totals["sent"] + totals["not_sent"]
            assert totals["sent"] == totals["answers"] + totals["in_flight"] and totals["answers"] > 0
            answered = merge([totals["response_time"]]).total
            assert answered == sum(each["answers"] for each in load["slices"]) > 0
            assert all(each["drain_ns"] is not None and each["elapsed_ns"] > 5 * 10**8 for each in load["slices"])
    assert not [reason for reason in block["reasons"] if reason["kind"] == "littles_law"]


def test_a_worker_that_is_killed_under_load_is_its_arms_result(tmp_path: Path) -> None:
    need_program("nginx")
    record = tmp_path / "record"
    suite = suite_files.write(tmp_path, suite_files.TWO_ARMS + NGINX_ARM)
    with command.start(
        "run", "--anyway", f"{suite}/killed", "--quick", "--time", 4, "--record", record, folder=tmp_path
    ) as process:
        wait_for_engine(process)
        worker, *_ = filter(is_worker, descendants(process.pid))
        worker.kill()
        process.communicate(timeout=60)
    block = json.loads((record / "blocks.jsonl").read_text().splitlines()[0])
    assert block["validity"] != "void", block["reasons"]
    assert {arm["name"]: arm["restarts"] for arm in block["arms"]} == {
        "tcp": {}, "victim": {"nginx": 1}, "tcp-aa": {},
    }  # fmt: skip


NGINX_ARM = """
[arms.victim]
hops = [{ program = "nginx", link = "http+tcp" }]
[[experiments]]
name = "killed"
question = "Does a restart show?"
baseline = "tcp"
arms = ["tcp", "victim"]
placement = "all-cores"
workload = { connections = 4 }
"""
