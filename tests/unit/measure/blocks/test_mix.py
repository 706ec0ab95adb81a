"""Blocks of a mix with a mock engine: every request is checked, compared with the baseline's and loaded."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from known import known
from mocks.mock_rig import SUITE, MockRig, measure

from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.stack import Stack
from hopcost.suites.experiments.request import MixedRequest
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite


def suite_with_a_mix() -> Suite:
    """The mock suite with two requests in turns."""
    replace = msgspec.structs.replace
    (experiment,) = SUITE.experiments
    mix = [MixedRequest(target="/page", weight=3), MixedRequest(name="other", target="/other")]
    workload = replace(experiment.workload, mix=mix)
    return replace(SUITE, experiments=[replace(experiment, workload=workload)])


@pytest.fixture
def asked(rig: MockRig, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Arms and targets in the order in which they are asked; each target has its own body."""
    seen: list[tuple[str, str]] = []

    def ask(stack: Stack, workload: Workload) -> HttpAnswer:
        seen.append((stack.arm, workload.target))
        body = rig.bodies.get(stack.arm, b"") + workload.target.encode()
        return HttpAnswer(status=200, head="", header_bytes=141, body=body)

    monkeypatch.setattr(rig, "ask", ask)
    return seen


def test_every_request_of_the_mix_is_checked_and_loaded(
    rig: MockRig, asked: list[tuple[str, str]], tmp_path: Path
) -> None:
    _, read, _ = measure(rig, tmp_path, suite=suite_with_a_mix())
    assert asked[:4] == [("base", "/page"), ("base", "/other"), ("slow", "/page"), ("slow", "/other")]
    assert not any(block.failures for block in read.blocks)
    arm = rig.plans[0].arms[0]
    assert (arm.request, arm.expect) == (None, None)
    assert [(mixed.name, mixed.weight, mixed.request.target) for mixed in arm.mix] == [
        ("GET /page", 3, "/page"),
        ("other", 1, "/other"),
    ]
    assert len({known(mixed.expect.body_base64) for mixed in arm.mix}) == 2
    assert [check.body_bytes for check in read.blocks[0].arms[0].mix_checks] == [5, 6]


def test_an_arm_that_answers_one_of_them_otherwise_fails_and_the_request_is_named(
    rig: MockRig, asked: list[tuple[str, str]], tmp_path: Path
) -> None:
    rig.bodies["slow"] = b"x"
    _, read, _ = measure(rig, tmp_path, suite=suite_with_a_mix())
    assert asked
    (failure,) = read.blocks[0].failures
    assert failure.arm == "slow"
    assert failure.message.startswith("GET /page: it answers otherwise than the baseline:")
