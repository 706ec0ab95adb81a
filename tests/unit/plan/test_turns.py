"""How arms take turns: by open files, by hand; and by idle time-outs."""

import msgspec
import pytest
from samples.servers import server

from hopcost.errors import CannotMeasure
from hopcost.plan.method import METHOD
from hopcost.plan.turns import (
    Turns,
    TurnsChosen,
    choose_turns,
    why_no_lower_load,
    why_not_interleaved,
    why_opened_each_turn,
)
from hopcost.suites.arms.server import RunningServer

S = 1_000_000_000


def ask(
    connections: int,
    arms: int,
    *,
    proxies: bool = False,
    files: int = 20_000,
    wanted: Turns = Turns.ALL,
    beside: int = 0,
) -> TurnsChosen:
    return choose_turns(
        connections=connections, arms=arms, through_proxies=proxies, open_files=files, wanted=wanted, beside=beside
    )


def test_what_fits_takes_turns_all_together() -> None:
    # 20,000 − 256 spare = 19,744 files: four arms of 4936 connections are 19,744.
    assert METHOD.spare_files == 256
    planned = ask(4936, 4)
    assert (planned.connections, planned.turns, planned.notes) == (4936, Turns.ALL, [])


def test_one_more_connection_makes_groups_of_arms() -> None:
    planned = ask(4937, 4)
    assert (planned.connections, planned.turns, planned.together) == (4937, Turns.ALL, 3)
    assert planned.notes == [
        "groups of at most 3 arms, the baseline and its copy in each: 20004 open files for all arms at once,"
        " 20000 allowed"
    ]
    assert ask(3000, 9).together == 6  # 19,744 ÷ 3000


def test_where_not_even_three_fit_one_arm_runs_at_a_time() -> None:
    planned = ask(6582, 4)  # 3 × 6582 = 19,746
    assert (planned.connections, planned.turns) == (6582, Turns.WHOLE)


def test_more_than_a_process_may_hold_are_as_many_as_it_may_and_that_is_said() -> None:
    planned = ask(10_000_000, 2)
    assert (planned.connections, planned.turns) == (19_744, Turns.WHOLE)
    assert planned.notes[0] == "10000000 connections asked for, 19744 here: the hard limit of open files is 20000"


def test_a_proxy_holds_two_files_for_each_connection() -> None:
    planned = ask(10_000, 2, proxies=True)
    assert (planned.connections, planned.turns) == (9872, Turns.ALL)  # 19,744 ÷ 2


def test_a_soak_has_all_its_arms_alive() -> None:
    planned = ask(10_000, 3, wanted=Turns.SOAK)
    assert (planned.connections, planned.turns) == (6581, Turns.SOAK)  # 19,744 ÷ 3


def test_without_a_file_for_a_single_connection_nothing_can_be_measured() -> None:
    with pytest.raises(CannotMeasure, match="open files") as refused:
        ask(64, 2, files=256)
    assert refused.value.hint == "raise it: ulimit -Hn 384"


def test_slow_clients_and_idle_connections_take_files_too() -> None:
    planned = ask(64, 3, beside=6000)  # 3 × 6064 = 18,192
    assert (planned.connections, planned.turns, planned.notes) == (64, Turns.ALL, [])
    planned = ask(64, 4, beside=6000)
    assert (planned.connections, planned.turns, planned.together) == (64, Turns.ALL, 3)
    assert ask(64, 4, beside=9000).turns is Turns.WHOLE
    planned = ask(1000, 2, beside=9000, proxies=True)  # 19,744 ÷ 2 = 9872
    assert (planned.connections, planned.turns) == (872, Turns.ALL)
    with pytest.raises(CannotMeasure, match="10000 slow clients and idle connections, the hard limit is 20000") as full:
        ask(64, 2, beside=10_000, proxies=True)
    assert full.value.hint == "raise it: ulimit -Hn 20384; or ask for fewer of them"


def test_a_frozen_arm_must_not_lose_its_idle_connections() -> None:
    # Six arms, 0.25 s each, first in a round and last in the next: frozen for 10 × 0.25 s; half of Node's 5 s is 2.5 s.
    assert why_not_interleaved(arms=6, visit_ns=S // 4, idle_timeout_s={"express": 5.0}) is None
    note = why_not_interleaved(arms=7, visit_ns=S // 4, idle_timeout_s={"nginx": 300.0, "express": 5.0})
    assert note is not None
    assert "one arm at a time" in note and "express" in note
    assert why_not_interleaved(arms=7, visit_ns=S // 4, idle_timeout_s={}) is None


def a_server(*pids: int, **learned: object) -> RunningServer:
    return msgspec.structs.replace(server(80, *pids, hop="gunicorn"), **learned)


@pytest.mark.parametrize(
    ("servers", "gap_s", "reasons"),
    [
        ([a_server(41)], 5.6, []),
        ([a_server(41), a_server(41, idle_timeout_s=2.0)], 5.6, ["gunicorn drops idle ones after 2 s"]),
        ([a_server(41, idle_timeout_s=5.6)], 5.6, ["gunicorn drops idle ones after 5.6 s"]),
        ([a_server(41, idle_timeout_s=5.7)], 5.6, []),
        ([a_server(41, idle_timeout_s=2.0)] * 2, 5.6, ["gunicorn drops idle ones after 2 s"]),
        ([a_server(blocked_by_idle=7)], 0.1, ["while others are open and idle, localhost:80 does not answer"]),
        ([a_server(41)], METHOD.max_idle_watch_s, []),
        ([a_server(41)], METHOD.max_idle_watch_s + 1, ["one would be idle for up to 21 s"]),
        ([a_server(41, idle_timeout_s=2.0)], 30.0, ["gunicorn drops idle ones after 2 s"]),
    ],
)
def test_connections_live_for_one_turn_if_they_cannot_wait_for_the_next(
    servers: list[RunningServer], gap_s: float, reasons: list[str]
) -> None:
    assert why_opened_each_turn(servers, gap_s) == reasons


@pytest.mark.parametrize(
    ("learned", "connections", "has_lower_load"),
    [
        ({}, 8, True),
        ({"blocked_by_idle": 7}, 8, True),
        ({"blocked_by_idle": 7, "blocked_by_kept": 2}, 8, False),
        ({"blocked_by_idle": 7, "blocked_by_kept": 2}, 2, True),
    ],
)
def test_workers_that_stay_with_an_idle_connection_carry_no_lower_load(
    learned: dict[str, object], connections: int, has_lower_load: bool
) -> None:
    why = why_no_lower_load([a_server(41), a_server(41, **learned)], connections)
    assert (why is None) is has_lower_load
    assert why is None or why == "no open loop: beside 2 connections that it keeps open gunicorn answers no others"
