"""Copies of a hop: each with its own address, the last one under settings of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.plan.cores import Cores
from hopcost.stacks.prepare.prepared import PreparedStack
from hopcost.stacks.prepare.stack import prepare
from hopcost.stacks.sandbox.ports import Ports
from hopcost.suites.arms.arm import Arm, Hop, Link, SettingValue

CORES = Cores(stack=[0], generator=[0])


def prepared(copies: int, last_copy: dict[str, SettingValue]) -> PreparedStack:
    """nginx before so many embedded origins that do 10 µs of work, the last one with settings of its own."""
    behind = Hop(
        program="origin", link=Link.HTTP_TCP, copies=copies, settings={"work_us": 10, "threads": 1}, last_copy=last_copy
    )
    arm = Arm(hops=[Hop(program="nginx", link=Link.HTTP_TCP), behind])
    return prepare("over", arm, {}, CORES, Path("/tmp/hopcost-never-made"), Ports())


def test_the_last_copy_has_its_settings_over_those_of_all() -> None:
    _, *copies = prepared(3, {"work_us": 200}).hops
    assert [hop.settings["work_us"] for hop in copies] == [10, 10, 200]
    assert [hop.settings["threads"] for hop in copies] == [1, 1, 1]
    assert [hop.command[hop.command.index("--work-rounds") + 1] for hop in copies] == ["5000", "5000", "100000"]
    assert len({hop.address.address for hop in copies}) == 3


def test_without_any_all_copies_are_alike() -> None:
    _, *copies = prepared(2, {}).hops
    assert [hop.settings["work_us"] for hop in copies] == [10, 10]


def test_a_last_copy_of_one_is_told() -> None:
    with pytest.raises(UsageError, match="arm over: origin: last_copy: there is one copy"):
        prepared(1, {"work_us": 200})


def test_a_setting_that_the_program_does_not_know_is_told() -> None:
    with pytest.raises(UsageError, match="work_ms"):
        prepared(2, {"work_ms": 1})
