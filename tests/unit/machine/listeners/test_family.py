"""A server's processes out of a table of processes: descendants, managers of services, this process itself."""

from __future__ import annotations

from hopcost.machine.listeners import family
from hopcost.machine.other_load import ProcessTime

HOPCOST = 90


def process(pid: int, parent: int, name: str) -> ProcessTime:
    return ProcessTime(pid=pid, parent=parent, name=name, began_ticks=0, cpu_ns=0, children_ns=0)


TABLE = [
    process(1, 0, "systemd"),
    process(10, 1, "gunicorn"),
    process(11, 10, "gunicorn"),
    process(12, 10, "gunicorn"),
    process(13, 12, "convert"),
    process(50, 1, "bash"),
    process(HOPCOST, 50, "hopcost"),
    process(91, HOPCOST, "hopcost-engine"),
]


def test_all_that_a_holder_started_belongs_to_it() -> None:
    assert family.with_descendants([10], TABLE, HOPCOST) == [10, 11, 12, 13]
    assert family.with_descendants([11, 12], TABLE, HOPCOST) == [11, 12, 13]


def test_a_manager_that_made_the_socket_is_no_part_of_the_service() -> None:
    assert family.with_descendants([1, 10], TABLE, HOPCOST) == [10, 11, 12, 13]


def test_a_manager_alone_does_not_bring_the_whole_machine() -> None:
    assert family.with_descendants([1], TABLE, HOPCOST) == [1]


def test_hopcost_started_from_a_servers_own_terminal_is_no_part_of_it() -> None:
    assert family.with_descendants([50], TABLE, HOPCOST) == [50]


def test_hopcost_counts_only_where_nobody_else_holds_the_socket() -> None:
    assert family.with_descendants([HOPCOST, 10], TABLE, HOPCOST) == [10, 11, 12, 13]
    assert family.with_descendants([HOPCOST], TABLE, HOPCOST) == [HOPCOST]
    assert family.with_descendants([], TABLE, HOPCOST) == []


def test_processes_that_are_each_others_parents_end() -> None:
    assert family.with_descendants([7], [process(7, 8, "a"), process(8, 7, "b")], HOPCOST) == [7, 8]


def test_names_are_counted_in_the_order_of_pids() -> None:
    assert family.count_names(family.names_of([10, 11, 12, 13, 99], TABLE)) == ["gunicorn ×3", "convert"]


def test_a_process_that_is_gone_keeps_the_name_of_its_thread() -> None:
    gone = 2**22 + 1  # above the largest pid
    assert family.names_of([gone], [process(gone, 1, "MainThread")]) == ["MainThread"]


def test_what_passes_connections_into_a_container_is_recognised() -> None:
    assert family.are_forwarders(["docker-proxy"])
    assert not family.are_forwarders(["nginx", "gunicorn"])
