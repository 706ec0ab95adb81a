"""docs/tutorial/your-own-app.md as a reader follows it: its app, its start script and its suite, both started."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from places import ROOT
from processes.freezers import freezers

from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.programs.receipt import installed
from hopcost.stacks import check
from hopcost.stacks.host import Local
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.stacks.stack import RunningStack
from hopcost.suites import read

pytestmark = pytest.mark.usefixtures("nothing_left")

PAGE = ROOT / "docs" / "tutorial" / "your-own-app.md"
CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])


def block(language: str) -> str:
    """The page's only block in a language."""
    (found,) = re.finditer(rf"(?s)```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"))
    return found[1]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The three files of the tutorial."""
    (tmp_path / "app.py").write_text(block("python"))
    (tmp_path / "start").write_text(block("sh"))
    (tmp_path / "start").chmod(0o755)
    (tmp_path / "my-app.toml").write_text(block("toml"))
    return tmp_path / "my-app.toml"


@pytest.mark.parametrize("name", ["app", "nginx"])
def test_both_stacks_of_the_tutorial_answer_alike(suite: Path, name: str) -> None:
    raise_open_files()
    if name == "nginx" and installed("nginx").missing and "CI" not in os.environ:
        pytest.skip("nginx is not installed")
    tutorial = read.read_suite(str(suite))
    (experiment,) = tutorial.experiments
    stack = RunningStack(name, tutorial.arms[name], experiment.settings, CORES, Local(freezers()[0]), label="own-app")
    with stack:
        answer = check.ask(name, stack.prepared.address, experiment.workload.target)
    assert (answer.status, answer.body) == (200, b'{"hello": "world"}\n')
    assert stack.prepared.hops[-1].version == "my-app 1"
