"""hopcost beside a program that computes without end: it waits, then refuses; with --anyway it gives no verdict."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import command
import pytest
from texts import suite_files

from hopcost.machine import facts

LOOP = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
IMPATIENT = """
import dataclasses, sys
from hopcost import cli
from hopcost.measure import quiet
quiet.METHOD = dataclasses.replace(quiet.METHOD, quiet_wait_s=2.0)
sys.argv = ["hopcost", *sys.argv[1:]]
cli.main()
"""

pytestmark = pytest.mark.alone


@pytest.fixture
def busy_loop() -> Iterator[None]:
    """A program of another session on a core of the stack."""
    core = str(facts.allowed_cores()[0])
    with subprocess.Popen([sys.executable, "-c", LOOP, core], start_new_session=True) as process:
        yield
        process.kill()


@pytest.mark.usefixtures("nothing_left", "busy_loop")
def test_beside_a_busy_loop_it_waits_names_who_computes_and_refuses(tmp_path: Path) -> None:
    """The wait is two seconds here in place of sixty."""
    words = ["run", str(suite_files.write(tmp_path, on_two_cores())), "--quick", "--record", str(tmp_path / "record")]
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT, *words],
        env=command.environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stdout + done.stderr
    assert "waiting for quiet, up to " in done.stderr
    assert "other programs take" in done.stderr and " (pid " in done.stderr
    assert "hint: stop them, or give --anyway" in done.stderr
    assert not (tmp_path / "record").exists(), "nothing was measured"


@pytest.mark.usefixtures("nothing_left", "busy_loop")
def test_with_anyway_it_measures_at_once_and_gives_no_verdict(tmp_path: Path) -> None:
    record = tmp_path / "record"
    suite = suite_files.write(tmp_path, on_two_cores())
    done = command.hopcost("run", "--anyway", suite, "--quick", "--time", 4, "--record", record)
    assert done.returncode in (0, 4), done.stderr  # 4: not one start counts
    assert "waiting for quiet" not in done.stderr and "no verdict" in done.stdout.lower()
    blocks = [json.loads(line) for line in (record / "blocks.jsonl").read_text().splitlines()]
    assert any(reason["kind"] == "other_programs" for block in blocks for reason in block["reasons"])
    assert {block["validity"] for block in blocks} == {"suspect"}


def on_two_cores() -> str:
    """The stack on the first core, the generator on the last."""
    return suite_files.TWO_ARMS.replace("all-cores", "one-core" if len(facts.allowed_cores()) > 1 else "all-cores")
