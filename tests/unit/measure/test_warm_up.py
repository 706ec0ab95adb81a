"""How long each block warms its arms up, by what the blocks before have shown; blocks are forged, the loop is real."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from samples import records
from samples.records import MS

from hopcost.generators.engine_protocol import WarmUp
from hopcost.measure import loop
from hopcost.measure.engine_load import BlockContext
from hopcost.measure.loop import Loop
from hopcost.measure.watcher import Silent
from hopcost.suites.experiment import Workload

LEVEL = (100,) * 30  # answers of each warm-up slice, each of the same CPU time
BURST = (100,) * 24 + (50,) * 6
SLOW = (50,) * 8 + (100,) * 22
BLOCKS = 4
LONG = 3064  # of 64 connections: 3 s and 1 ms for each


def warm_ups_ms(monkeypatch: pytest.MonkeyPatch, *starts: tuple[int, ...], connections: int = 64) -> list[int]:
    """The warm-up that each of the blocks gets where the arms' starts look like this, the last again and again."""
    given: list[int] = []

    def measure(_setting: object, arms: list[Any], number: int, *_: object, warm_up: WarmUp, **__: object) -> Any:
        given.append(warm_up.least_ns // MS)
        if len(given) == BLOCKS:
            raise KeyboardInterrupt
        answers = starts[min(number, len(starts) - 1)][: given[-1] // 100]
        parts = [records.part(records.slice_of(arm.name, 1000), warmed_up=answers) for arm in arms]
        return msgspec.structs.replace(records.block(number, *parts), elapsed_ns=10**9, slices_elapsed_ns=10**8)

    monkeypatch.setattr(loop, "block", SimpleNamespace(measure_block=measure))
    plan = records.plan_of(quick=False)
    experiment = msgspec.structs.replace(plan.experiments[0], workload=Workload(connections=connections))
    setting = BlockContext(
        plan=plan, experiment=experiment, freezer=None, ports=None,  # type: ignore[arg-type]
        writer=SimpleNamespace(append=lambda _: None), watcher=Silent(),  # type: ignore[arg-type]
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        Loop(setting, time.monotonic() + 1800).run()
    return given


def test_arms_that_are_steady_at_once_are_warmed_up_long_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_ups_ms(monkeypatch, LEVEL) == [LONG, 300, 300, 300]


def test_an_arm_that_takes_its_time_gets_it_after_a_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_ups_ms(monkeypatch, SLOW) == [LONG, LONG, 800, 800]


@pytest.mark.parametrize("first", [SLOW, BURST])
def test_what_one_start_shows_alone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, first: tuple[int, ...]) -> None:
    assert warm_ups_ms(monkeypatch, first, LEVEL) == [LONG, LONG, 300, 300]


def test_an_arm_that_never_gets_steady_is_always_warmed_up_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_ups_ms(monkeypatch, BURST) == [LONG, LONG, LONG, LONG]


def test_pools_of_many_connections_have_the_time_to_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    filling = (50,) * 45 + (100,) * 35
    assert warm_ups_ms(monkeypatch, filling, connections=5000) == [8000, 8000, 4500, 4500]
