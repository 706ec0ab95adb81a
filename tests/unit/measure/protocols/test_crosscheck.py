"""The crosscheck's turns: what is left out when a generator or an arm fails. No generator runs."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from samples.questions.crosschecks import played

from hopcost.errors import ArmFailed
from hopcost.measure.load.peer import Drive
from hopcost.measure.protocols.crosscheck import Generators, run_crosscheck
from hopcost.programs.generators.peers.peer import PeerLoad
from hopcost.record.contents.repeat import PeerRun
from hopcost.stacks.awake import IdleCores
from hopcost.stacks.client.address import Address
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck
from hopcost.suites.experiments.workload import Workload


def check(turns: list[str], failure: Callable[[], str | None] = lambda: None) -> Crosscheck:
    """Three rounds of two generators that only note their turns; `ab` fails in its second one."""

    def drive(name: str) -> Drive:
        def run(_: PeerLoad, at_most_s: float) -> PeerRun:
            assert at_most_s > 1
            turns.append(name)
            if name == "ab" and turns.count("ab") == 2:
                raise ArmFailed("go", "ab ended with 22: no more")
            return played(name, 1000)

        return run

    generators = Generators({OURS: drive(OURS), "ab": drive("ab")}, {"hey": "not installed"})
    prepared = SimpleNamespace(cores=SimpleNamespace(generator=[1]), address=Address("http+tcp", "127.0.0.1:1"))
    stack: Any = SimpleNamespace(arm="go", prepared=prepared, failure=failure)
    return run_crosscheck(
        "hello/one-core/go",
        stack,
        Workload(),
        generators,
        rounds=3,
        seconds=1,
        seed=7,
        idle_cores=IdleCores.AWAKE,
        turn_begins=lambda *_: None,
    )


def test_a_generator_that_fails_is_left_out_from_there_on() -> None:
    turns: list[str] = []
    result = check(turns)
    assert result.left_out == {"hey": "not installed", "ab": "failed: ab ended with 22: no more"}
    assert (turns[0], turns.count(OURS), turns.count("ab")) == (OURS, 1 + 3, 2)  # ours warms up
    assert [(tool.name, tool.turns) for tool in result.tools] == [(OURS, 3), ("ab", 1)]


def test_an_arm_that_ends_under_load_ends_the_crosscheck() -> None:
    with pytest.raises(ArmFailed, match="app ended"):
        check([], failure=lambda: "app ended by signal 9")
