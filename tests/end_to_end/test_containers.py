"""What a run does where a container withholds this or that: it measures, and says what it goes without."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from pathlib import Path

import pytest
from command import hopcost
from texts.suite_files import write

CONTAINER = Path(__file__).parents[1] / "support" / "processes" / "container.py"

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or platform.machine() != "x86_64",
    reason="only root can be refused something; one filter is for x86-64",
)


def inside(*words: str) -> list[str]:
    """The command that withholds these."""
    return [sys.executable, str(CONTAINER), *words, "--"]


@pytest.mark.parametrize(
    ("withheld", "freezes_by_signal", "own_network"),
    [
        ("cgroups", True, True),
        ("io-uring", False, True),
        ("capabilities namespaces", False, False),
        ("docker", True, False),
    ],
)
def test_a_run_measures_with_what_there_is(
    tmp_path: Path, nothing_left: Path, withheld: str, freezes_by_signal: bool, own_network: bool
) -> None:
    suite = write(tmp_path)
    options = ("--anyway", "--quick", "--time", 4, "--seed", 1, "--record", "there")
    done = hopcost("run", suite, *options, folder=tmp_path, before=inside(*withheld.split()))
    environment = json.loads((tmp_path / "there" / "environment.json").read_text())
    if freezes_by_signal:
        assert environment["freezer"] == "signal"
    assert environment["network_namespaces"] == own_network
    if not own_network:
        assert environment["network_namespaces_missing"], done.stderr
    blocks = [json.loads(line) for line in (tmp_path / "there" / "blocks.jsonl").read_text().splitlines()]
    answers = [sum(part["answers"] for part in arm["slices"]) for block in blocks for arm in block["arms"]]
    assert answers and all(answers), done.stderr


def test_the_doctor_names_what_is_withheld_and_what_would_help(tmp_path: Path) -> None:
    shown = hopcost("doctor", folder=tmp_path, before=inside("docker"))
    findings = [" ".join(finding.split()) for finding in re.split(r"\n(?=\S)", shown.stdout)]
    for start, hint in (
        ("warn no cgroup can be made: stacks are frozen by SIGSTOP", "hint:"),
        ("warn no network namespaces:", "hint:"),
        ("warn io_uring is refused (Operation not permitted): the engine uses epoll", "seccomp"),
    ):
        finding = next((finding for finding in findings if finding.startswith(start)), "")
        assert hint in finding, shown.stdout
