"""Which machine a record is of: one host with one CPU, or runners that somebody says are alike."""

from __future__ import annotations

import pytest

from hopcost.history.contents.machine import UNKNOWN_HOST, machine_of

HERE: dict[str, object] = {
    "host": "abacus",
    "machine": "0123",
    "cpu": "Abacus 2",
    "cores": 4,
    "allowed_cores": [0, 1],
    "memory_bytes": 8 << 30,
    "kernel": "6.1.0",
}


@pytest.mark.parametrize(
    "changed",
    [{"machine": "4567"}, {"cpu": "Abacus 3"}, {"cores": 8}, {"allowed_cores": [0]}, {"memory_bytes": 16 << 30}],
)
def test_another_host_cpu_or_memory_is_another_machine(changed: dict[str, object]) -> None:
    assert machine_of(HERE | changed).key != machine_of(HERE).key


@pytest.mark.parametrize("changed", [{"kernel": "6.2.0"}, {"host": "renamed"}, {"memory_bytes": (8 << 30) - 5_000_000}])
def test_a_new_kernel_or_a_new_name_is_not(changed: dict[str, object]) -> None:
    assert machine_of(HERE | changed).key == machine_of(HERE).key


def test_without_the_systems_number_the_name_tells() -> None:
    of_container = HERE | {"machine": None}
    assert machine_of(of_container).key != machine_of(of_container | {"host": "other"}).key


def test_runners_that_are_named_alike_are_one_machine_if_their_cpu_is_the_same() -> None:
    runners = [HERE | {"machine": number, "host": f"runner-{number}"} for number in "12"]
    first, second = (machine_of(runner, "small runners") for runner in runners)
    assert first == second and first.host == "small runners"
    assert machine_of(runners[0] | {"cpu": "Abacus 3"}, "small runners").key != first.key
    assert machine_of(HERE | {"machine": None, "host": "small runners"}).key != first.key


def test_a_record_that_does_not_tell_has_a_machine_all_the_same() -> None:
    assert machine_of({}).host == UNKNOWN_HOST
    assert machine_of({"memory_bytes": "much", "allowed_cores": 3, "cpu": None}).key == machine_of({}).key
