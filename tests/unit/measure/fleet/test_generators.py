"""Several generators' machines as one: what they have in common, and what they must not."""

from __future__ import annotations

from typing import Any

import pytest

from hopcost.errors import CannotMeasure, UsageError
from hopcost.measure.fleet import generators
from hopcost.measure.fleet.ssh.names import Elsewhere, Login

CORES = {"a": [0, 1, 2], "b": [1, 2, 3], "c": [3]}


class Machine:
    """One that was logged in to; `alias` is a second name of `a`."""

    left: list[str]

    def __init__(self, name: str, login: Login, access: object, address: str | None) -> None:
        self.name, self.cores = name, CORES.get(name, CORES["a"])
        self.peer = ("a" if name == "alias" else name, login.port)
        self.address = address or f"seen by {name}"

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.left.append(self.name)


@pytest.fixture(autouse=True)
def machines(monkeypatch: pytest.MonkeyPatch) -> None:
    Machine.left = []
    monkeypatch.setattr(generators, "GeneratorMachine", Machine)


def opened(*names: str, **more: Any) -> generators.Generators:
    return generators.Generators(Elsewhere(tuple(Login(name) for name in names), **more))


def test_they_use_the_cores_that_all_have_and_one_address_of_the_stacks() -> None:
    with opened("a", "b") as both:
        assert (both.limits.name, both.limits.allowed_cores) == ("a and b", [1, 2])
        assert [machine.address for machine in both.machines] == ["seen by a"] * 2
        assert Machine.left == []
    assert Machine.left == ["b", "a"]


def test_one_machine_under_two_names_is_refused_and_left() -> None:
    with pytest.raises(UsageError, match="a and alias are one machine"):
        opened("a", "alias")
    assert Machine.left == ["alias", "a"]


def test_without_a_core_in_common_they_are_refused_and_left() -> None:
    with pytest.raises(CannotMeasure, match="no core number in common"):
        opened("a", "c")
    assert Machine.left == ["c", "a"]
