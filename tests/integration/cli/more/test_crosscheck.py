"""`hopcost crosscheck` with real generators."""

from __future__ import annotations

import json
from pathlib import Path

import command
import pytest

from hopcost.programs.generators.peers import BY_NAME
from hopcost.stacks.awake import keep_awake
from hopcost.statistics.questions.crosscheck import OURS


def test_real_generators_take_turns(tmp_path: Path) -> None:
    """The origin itself, two turns of a second each."""
    shown = command.hopcost("crosscheck", "hello/one-core/go", "--rounds", "2", "--seconds", "1", "--json")
    assert shown.returncode == 0, shown.stderr
    data = json.loads(shown.stdout)
    ours = data["tools"][0]
    assert (ours["name"], ours["turns"], ours["errors"]) == (OURS, 2, {})
    assert {tool["name"] for tool in data["tools"]} | set(data["left_out"]) == {OURS, *BY_NAME}
    assert data["idle_cores"] == keep_awake()  # as `hopcost run` has them: else its figures are not that run's
    assert all(tool["per_s"] > 0 and tool["stack_ns"] > 0 and tool["generator_ns"] > 0 for tool in data["tools"])


@pytest.mark.parametrize(
    ("arm", "words"),
    [("upload/post/direct", "other generators send GET alone"), ("hello/one-core/none", "has no stack 'none'")],
)
def test_arms_that_cannot_be_crosschecked_are_refused(arm: str, words: str) -> None:
    shown = command.hopcost("crosscheck", arm)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert words in shown.stderr
