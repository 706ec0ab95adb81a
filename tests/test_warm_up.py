"""How long each block warms its arms up, by what the blocks before have shown; blocks are forged, the loop is real."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import factory
import msgspec
import pytest
from factory import MS

from hopcost import block, blocks, engine
from hopcost.watcher import Silent

LEVEL = (100,) * 30  # answers of each warm-up slice, each of the same CPU time
BURST = (100,) * 24 + (50,) * 6
SLOW = (50,) * 8 + (100,) * 22
BLOCKS = 4


def warm_ups_ms(monkeypatch: pytest.MonkeyPatch, *starts: tuple[int, ...]) -> list[int]:
    """The warm-up that each of the blocks gets where the arms' starts look like this, the last again and again."""
    given: list[int] = []

    def measure(
        _setting: object, arms: list[Any], number: int, *_: object, warm_up: engine.WarmUp, **__: object
    ) -> Any:
        given.append(warm_up.least_ns // MS)
        if len(given) == BLOCKS:
            raise KeyboardInterrupt
        answers = starts[min(number, len(starts) - 1)][: given[-1] // 100]
        parts = [factory.part(factory.slice_of(arm.name, 1000), warmed_up=answers) for arm in arms]
        return msgspec.structs.replace(factory.block(number, *parts), elapsed_ns=10**9, slices_elapsed_ns=10**8)

    monkeypatch.setattr(blocks, "block", SimpleNamespace(measure=measure, Setting=block.Setting))
    plan = factory.plan_of(quick=False)
    setting = block.Setting(
        plan=plan, experiment=plan.experiments[0], freezer=None, ports=None,  # type: ignore[arg-type]
        writer=SimpleNamespace(append=lambda _: None), watcher=Silent(),  # type: ignore[arg-type]
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        blocks.Loop(setting, time.monotonic() + 1800).run()
    return given


def test_arms_that_are_steady_at_once_are_warmed_up_long_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_ups_ms(monkeypatch, LEVEL) == [3000, 300, 300, 300]


def test_an_arm_that_takes_its_time_gets_it_after_a_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_ups_ms(monkeypatch, SLOW) == [3000, 3000, 800, 800]


@pytest.mark.parametrize("first", [SLOW, BURST])
def test_what_one_start_shows_alone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, first: tuple[int, ...]) -> None:
    assert warm_ups_ms(monkeypatch, first, LEVEL) == [3000, 3000, 300, 300]


def test_an_arm_that_never_gets_steady_is_always_warmed_up_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_ups_ms(monkeypatch, BURST) == [3000, 3000, 3000, 3000]
