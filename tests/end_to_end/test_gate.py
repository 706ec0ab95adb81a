"""`hopcost gate` as a person runs it, and its exit codes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import command
import pytest
from processes.running import WAIT_S, wait_for_block, wait_for_engine
from texts import suite_files


@pytest.mark.usefixtures("nothing_left")
def test_with_little_time_it_is_not_settled_and_says_so_everywhere(tmp_path: Path) -> None:
    path, github = suite_files.write(tmp_path), tmp_path / "github.md"
    github.write_text("what other steps wrote\n")
    done = command.hopcost(
        "gate", f"{path}/links/unix", "--anyway", "--time", 3, "--record", tmp_path / "record", "--json", "-o",
        tmp_path / "gate.json", extra={"GITHUB_STEP_SUMMARY": str(github)},
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert "both sides are identical" in done.stderr and "gate not settled (exit code 4)" in done.stderr
    assert done.stdout == ""
    assert json.loads((tmp_path / "gate.json").read_text())["outcome"] == "not settled"
    first, _, rest = github.read_text().partition("\n")
    assert first == "what other steps wrote" and rest.startswith("## hopcost gate · unix · margin 3 %")
    again = command.hopcost("report", tmp_path / "record", "--format", "markdown")
    assert again.returncode == 0 and again.stdout.startswith("## hopcost gate · unix · margin 3 %")


@pytest.mark.usefixtures("nothing_left")
def test_another_binary_that_does_not_start_fails_the_gate(tmp_path: Path) -> None:
    path, broken = suite_files.write(tmp_path), tmp_path / "broken"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && echo hopcost-origin 9.9 && exit\necho no licence; exit 7\n')
    broken.chmod(0o755)
    done = command.hopcost(
        "gate", f"{path}/links/unix", "--after", "origin.binary=broken", "--anyway", "--time", 20,
        "--record", "record", folder=tmp_path, extra={"GITHUB_STEP_SUMMARY": ""},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    words = " ".join(done.stdout.split())
    assert "does not work after the change" in words and "no licence" in words
    environment = json.loads((tmp_path / "record" / "environment.json").read_text())
    (receipt,) = environment["binaries"].values()
    assert list(environment["binaries"]) == [str(broken)]
    assert receipt["version"] == "9.9" and receipt["program"] == "origin" and len(receipt["sha256"]) == 64


@pytest.mark.usefixtures("nothing_left")
def test_an_interrupt_tells_what_was_measured_and_decides_nothing(tmp_path: Path) -> None:
    record, path = tmp_path / "record", suite_files.write(tmp_path)
    words = ["gate", f"{path}/links/unix", "--after", "origin.work_rounds=50", "--anyway", "--time", 60]
    with command.start(*words, "--record", record, folder=tmp_path) as process:
        wait_for_block(record, process)
        wait_for_engine(process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130, errors
    assert "INTERRUPTED  Nothing is decided; the figures are of 1 server start." in output
    assert f"record  {record}" in output and "exit 130: interrupted, nothing is decided" in output
    assert "next    hopcost gate " in output and "interrupted" not in errors, "told once"


@pytest.mark.usefixtures("nothing_left")
def test_an_interrupt_before_the_first_start_is_done_is_two_lines(tmp_path: Path) -> None:
    record, path = tmp_path / "record", suite_files.write(tmp_path)
    words = ["gate", f"{path}/links/unix", "--anyway", "--time", 60, "--record", record]
    with command.start(*words, folder=tmp_path) as process:
        wait_for_engine(process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=WAIT_S)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines()[-2:] == [
        "interrupted before the first start was done: nothing to report",
        f"record: {record}",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--after", "origin.work_round=1"], ["origin has no setting 'work_round'", "did you mean 'work_rounds'?"]),
        (["--after", "origin.config=suite.toml"], ["origin has no configuration file"]),
        (["--after", "origin.binary=small.toml"], ["small.toml is not executable"]),
        (["--after", f"origin.binary={os.devnull}"], ["no such file"]),
        (["--after", "origin.binary=/bin/true"], ["origin: binary: /", "printed no version"]),
        (["--margin", "none"], ["--margin: expected a percentage"]),
        (["-o", "nowhere/gate.md"], ["nowhere/gate.md: cannot be written there"]),
        (["--figure", "latency"], ["--figure", "latency"]),
    ],
)
def test_a_wrong_word_is_told_before_anything_runs(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    suite_files.write(tmp_path)
    done = command.hopcost("gate", "./small.toml/links/unix", "--time", 3, *arguments, folder=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert [word for word in words if word not in done.stderr] == [] and "Traceback" not in done.stderr
    assert not (tmp_path / "records").exists()
