"""Lines of several generators become those of one: counts add up, the stacks' own figures stay, each is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from samples.blocks import MS, histogram, slice_of

from hopcost.errors import MeasurementFailed
from hopcost.measure.fleet.merge import (
    BESIDE_COUNTS,
    BESIDE_SLICE_COUNTS,
    BESIDE_TIMES,
    REQUEST_COUNTS,
    REQUEST_TIMES,
    SLICE_COUNTS,
    SLICE_TIMES,
    TOTALS_COUNTS,
    TOTALS_TIMES,
    merge,
    merged,
)
from hopcost.programs.generators.beside import BesideSlice, BesideTotals
from hopcost.programs.generators.engine_lines import (
    ArmTotals,
    End,
    Line,
    Opening,
    RequestTotals,
    Slice,
    Start,
    TlsHandshakes,
    Validity,
    WarmedUp,
)
from hopcost.programs.generators.server_faults import ServerFault
from hopcost.record.histogram import merge as decode

MACHINES = ["bench2", "bench3"]
START = Start(version="1", io="uring", batch=1, cores=[1], compared_one_in=16)
OF_A_SLICE = (
    *("arm", "round", "place", "start_ns", "elapsed_ns", "freeze_ns", "frozen_ns", "agent"),
    *("cpu_ns", "cpu_outside_ns", "cpu_settling_ns", "process_cpu_ns"),  # the stacks' machine's
    *("errors", "drain_ns", "slow_clients", "idle_connections", "generators"),
)
OF_TOTALS = ("arm", "errors", "all_opened", "tls", "server_faults", "slow_clients", "idle_connections", "requests")
BESIDE = BesideSlice(answers=1, sent=2, errors={"read": 1}, reconnects=0, received_bytes=10, cpu_ns=5)


def piece(answers: int, **changes: Any) -> Slice:
    own = slice_of("a", answers, cpu_ns={"app": 7 * MS}, generator_cpu_ns=answers * 10)
    return msgspec.structs.replace(own, **{"due": answers, "late": 1, "not_sent": 0, "drain_ns": answers, **changes})


def totals(answers: int, **changes: Any) -> ArmTotals:
    own = ArmTotals(
        arm="a", sent=answers + 1, answers=answers, compared=answers, in_flight=1, established=4, reconnects=0,
        errors={"timeout": 1}, service_time=histogram(*[MS] * answers), unanswered=histogram(2 * MS),
    )  # fmt: skip
    return msgspec.structs.replace(own, **changes)


def one_of(*lines: Line) -> Line:
    return merge(lines, MACHINES[: len(lines)])


def test_the_line_of_one_generator_is_that_line() -> None:
    line = piece(5)
    assert one_of(line) is line


def test_counts_of_a_slice_add_up_and_the_stacks_figures_do_not() -> None:
    whole = one_of(piece(5, errors={"read": 1}), piece(7, errors={"read": 2, "body": 1}))
    assert isinstance(whole, Slice)
    assert (whole.answers, whole.sent, whole.due, whole.late, whole.generator_cpu_ns) == (12, 12, 12, 2, 120)
    assert whole.errors == {"read": 3, "body": 1}
    assert (whole.elapsed_ns, whole.cpu_ns, whole.drain_ns) == (100 * MS, {"app": 7 * MS}, 7)


def test_what_one_does_not_know_is_not_known() -> None:
    whole = one_of(piece(5, run_delay_ns=4), piece(7, run_delay_ns=None))
    assert isinstance(whole, Slice)
    assert whole.run_delay_ns is None and whole.spin_ns is None


def test_each_generators_own_figures_are_kept() -> None:
    whole = one_of(piece(5), piece(7))
    assert isinstance(whole, Slice)
    kept = [(own.machine, own.answers, own.late, own.generator_cpu_ns) for own in whole.generators]
    assert kept == [("bench2", 5, 1, 50), ("bench3", 7, 1, 70)]


def test_response_times_are_added_up_exactly() -> None:
    whole = one_of(piece(2, response_time=histogram(MS, 5 * MS)), piece(1, response_time=histogram(900 * MS)))
    assert isinstance(whole, Slice) and whole.response_time is not None
    assert (decode([whole.response_time]).counts == decode([histogram(MS, 5 * MS, 900 * MS)]).counts).all()
    assert whole.response_unanswered is None


def test_a_generator_without_idle_connections_adds_none() -> None:
    whole = one_of(piece(5, idle_connections=BESIDE), piece(7))
    assert isinstance(whole, Slice) and whole.idle_connections == BESIDE
    whole = one_of(piece(5, slow_clients=BESIDE), piece(7, slow_clients=BESIDE))
    assert isinstance(whole, Slice)
    assert whole.slow_clients == BesideSlice(2, 4, {"read": 2}, 0, 20, 10)


def test_totals_add_up_with_what_handshakes_and_servers_did() -> None:
    tls = TlsHandshakes("TLS 1.3", "TLS13_AES_256_GCM_SHA384", "X25519", 4)
    fault = ServerFault("an answer given up", "RFC 9113", "6.4", 2)
    mixed = RequestTotals("home", 3, 0, 3, 0, {}, histogram(MS), histogram())
    own = {"tls": [tls], "server_faults": [fault], "requests": [mixed], "all_opened": True, "opened": 4}
    whole = one_of(totals(5, **own), totals(7, **own))
    assert isinstance(whole, ArmTotals)
    assert (whole.answers, whole.in_flight, whole.established, whole.opened) == (12, 2, 8, 8)
    assert whole.errors == {"timeout": 2} and whole.all_opened is True
    assert (decode([whole.service_time]).total, decode([whole.unanswered]).total) == (12, 2)
    assert whole.tls == [msgspec.structs.replace(tls, handshakes=8)]
    assert whole.server_faults == [msgspec.structs.replace(fault, times=4)]
    (request,) = whole.requests
    assert (request.request, request.sent, decode([request.service_time]).total) == ("home", 6, 2)


@pytest.mark.parametrize(("second", "both"), [(False, False), (None, None), (True, True)])
def test_all_are_open_if_each_says_so(second: bool | None, both: bool | None) -> None:
    whole = one_of(totals(5, all_opened=True), totals(7, all_opened=second))
    assert isinstance(whole, ArmTotals) and whole.all_opened is both


def test_an_arm_is_warm_if_it_is_for_all() -> None:
    lines = [WarmedUp("a", 100, plateau, [3, 4], {}, [50, 50], [9, 9]) for plateau in (True, False)]
    whole = one_of(*lines)
    assert whole == WarmedUp("a", 100, False, [6, 8], {}, [50, 50], [9, 9])


def test_what_all_generators_say_of_the_stacks_is_said_once() -> None:
    outside = "arm `a`: 1.1 % of its CPU time was used outside its own slices"
    ends = [End(10, 5, Validity.VOID, ["own", outside]), End(10, 5, Validity.VOID, [outside])]
    assert one_of(*ends) == End(10, 10, Validity.VOID, [outside, "on bench2: own"])


def test_the_worst_judgement_counts_and_names_its_machine() -> None:
    ends = [End(10, 5, Validity.VALID, []), End(12, 6, Validity.SUSPECT, ["arm `a`: 3 requests late"])]
    assert one_of(*ends) == End(12, 11, Validity.SUSPECT, ["on bench3: arm `a`: 3 requests late"])


def run_of(lines: Sequence[tuple[int, Line]]) -> list[Line]:
    return list(merged(lines, MACHINES))


def test_a_line_comes_when_all_have_sent_theirs_however_they_come() -> None:
    first: list[Line] = [START, piece(5), totals(5)]
    second: list[Line] = [START, piece(7), totals(7)]
    whole = [merge(lines, MACHINES) for lines in zip(first, second, strict=True)]
    assert run_of([(0, line) for line in first] + [(1, line) for line in second]) == whole
    assert (
        run_of([(place, line) for pair in zip(first, second, strict=True) for place, line in enumerate(pair)]) == whole
    )


def test_opening_connections_add_up_whenever_one_machine_tells() -> None:
    first, done = Opening("a", 1, 4, 2, False, {}), Opening("a", 3, 4, 4, True, {})
    second = Opening("a", 2, 3, 3, True, {})
    lines: list[tuple[int, Line]] = [(0, START), (1, START), (0, first), (1, second), (0, done)]
    assert run_of(lines) == [START, Opening("a", 2, 7, 5, False, {}), Opening("a", 3, 7, 7, True, {})]


@pytest.mark.parametrize(
    ("line", "added", "otherwise"),
    [
        (Slice, (*SLICE_COUNTS, *SLICE_TIMES), OF_A_SLICE),
        (ArmTotals, (*TOTALS_COUNTS, *TOTALS_TIMES), OF_TOTALS),
        (RequestTotals, (*REQUEST_COUNTS, *REQUEST_TIMES), ("request", "errors")),
        (BesideSlice, BESIDE_SLICE_COUNTS, ("errors",)),
        (BesideTotals, (*BESIDE_COUNTS, *BESIDE_TIMES), ("errors",)),
    ],
)
def test_every_key_is_added_up_or_known_not_to_be(
    line: type[msgspec.Struct], added: Sequence[str], otherwise: Sequence[str]
) -> None:
    assert sorted(line.__struct_fields__) == sorted([*added, *otherwise])


@pytest.mark.parametrize("other", [totals(7), piece(7, round=1), piece(7, arm="b"), None])
def test_generators_that_do_not_go_in_step_are_no_measurement(other: Line | None) -> None:
    lines: list[tuple[int, Line]] = [(0, piece(5))]
    if other is not None:
        lines.append((1, other))
    with pytest.raises(MeasurementFailed, match="bench2 and bench3 did not go in step"):
        run_of(lines)
