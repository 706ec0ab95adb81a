"""The lines of several generators, which go through their plans in step, as those of one.

Counts and histograms add up. Lengths and the CPU time of hops are the stacks' machine's, the same in the lines of all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from hopcost.errors import MeasurementFailed
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
from hopcost.programs.generators.generator_slice import GeneratorSlice
from hopcost.programs.generators.server_faults import sum_faults
from hopcost.record import histogram
from hopcost.statistics.figures import sum_by_kind, total

OWN_KEYS = tuple(field for field in GeneratorSlice.__struct_fields__ if field != "machine")
SLICE_COUNTS = (
    *("answers", "sent", "due", "not_sent", "late", "reconnects", "received_bytes", "sent_bytes"),
    *("generator_cpu_ns", "spin_ns", "run_delay_ns", "in_flight_ns", "aged_ns"),
)
SLICE_TIMES = ("response_time", "response_unanswered")
TOTALS_COUNTS = (
    *("sent", "answers", "compared", "in_flight", "established", "reconnects", "due", "not_sent", "opened"),
)
TOTALS_TIMES = ("service_time", "unanswered", "response_time", "response_unanswered", "send_lag", "unsent")
REQUEST_COUNTS = ("sent", "not_sent", "answers", "in_flight")
REQUEST_TIMES = ("service_time", "unanswered", "response_time", "response_unanswered")
BESIDE_SLICE_COUNTS = ("answers", "sent", "reconnects", "received_bytes", "cpu_ns")
BESIDE_COUNTS = (
    *("number", "established", "due", "sent", "not_sent", "answers", "compared", "in_flight", "opened", "reconnects"),
)
BESIDE_TIMES = ("time", "unanswered")


def merged(lines: Iterable[tuple[int, Line]], machines: Sequence[str]) -> Iterator[Line]:
    """The lines of these machines, each with its machine's place, as those of one generator.

    A line comes once all machines have sent theirs; of connections that open, whenever one has.
    MeasurementFailed if the machines do not go in step.
    """
    waiting: list[deque[Line]] = [deque() for _ in machines]
    openings: dict[str, dict[int, Opening]] = {}
    for place, line in lines:
        if isinstance(line, Opening):
            latest = openings.setdefault(line.arm, {})
            latest[place] = line
            if len(latest) == len(machines):
                yield _opening([*latest.values()])
            continue
        waiting[place].append(line)
        if all(waiting):
            yield merge([own.popleft() for own in waiting], machines)
    if any(waiting):
        raise MeasurementFailed(f"the engines on {' and '.join(machines)} did not go in step")


def merge(lines: Sequence[Line], machines: Sequence[str]) -> Line:
    """One line for those that the machines sent of one step; MeasurementFailed if they are of several."""
    first, *others = lines
    if not others:
        return first
    if any(_step(line) != _step(first) for line in others):
        raise MeasurementFailed(f"the engines on {' and '.join(machines)} did not go in step")
    match first:
        case WarmedUp():
            return _warm_up([line for line in lines if isinstance(line, WarmedUp)])
        case Slice():
            return _slice([line for line in lines if isinstance(line, Slice)], machines)
        case ArmTotals():
            return _totals([line for line in lines if isinstance(line, ArmTotals)])
        case End():
            return _end([line for line in lines if isinstance(line, End)], machines)
        case Start() | Opening():
            return first


def _step(line: Line) -> tuple[object, ...]:
    """What tells a step of the plan from the others."""
    keys = ("version", "arm", "round", "place")
    return type(line), *(getattr(line, key) for key in keys if hasattr(line, key))


def _opening(lines: Sequence[Opening]) -> Opening:
    return Opening(
        arm=lines[0].arm,
        elapsed_ns=max(line.elapsed_ns for line in lines),
        connections=sum(line.connections for line in lines),
        established=sum(line.established for line in lines),
        done=all(line.done for line in lines),
        errors=sum_by_kind(line.errors for line in lines),
    )


def _warm_up(lines: Sequence[WarmedUp]) -> WarmedUp:
    return msgspec.structs.replace(
        lines[0],
        plateau=all(line.plateau for line in lines),
        answers=[sum(slices) for slices in zip(*(line.answers for line in lines), strict=True)],
        errors=sum_by_kind(line.errors for line in lines),
    )


def _slice(lines: Sequence[Slice], machines: Sequence[str]) -> Slice:
    drains = [line.drain_ns for line in lines if line.drain_ns is not None]
    own = [
        GeneratorSlice(machine, **{key: getattr(line, key) for key in OWN_KEYS})
        for machine, line in zip(machines, lines, strict=True)
    ]
    return msgspec.structs.replace(
        lines[0],
        **_added(lines, SLICE_COUNTS, SLICE_TIMES),
        errors=sum_by_kind(line.errors for line in lines),
        drain_ns=max(drains, default=None),
        slow_clients=_beside_slice(line.slow_clients for line in lines),
        idle_connections=_beside_slice(line.idle_connections for line in lines),
        generators=own,
    )


def _totals(lines: Sequence[ArmTotals]) -> ArmTotals:
    opened = [line.all_opened for line in lines]
    return msgspec.structs.replace(
        lines[0],
        **_added(lines, TOTALS_COUNTS, TOTALS_TIMES),
        errors=sum_by_kind(line.errors for line in lines),
        all_opened=None if None in opened else all(opened),
        tls=_handshakes(handshakes for line in lines for handshakes in line.tls),
        server_faults=sum_faults(fault for line in lines for fault in line.server_faults),
        slow_clients=_beside_totals(line.slow_clients for line in lines),
        idle_connections=_beside_totals(line.idle_connections for line in lines),
        requests=_requests(request for line in lines for request in line.requests),
    )


def _end(lines: Sequence[End], machines: Sequence[str]) -> End:
    """Each engine has judged its own load: the worst counts, and a reason names its machine.

    What all of them say in the same words, as of the stacks' CPU time, is said once.
    """
    of_all = [reason for reason in lines[0].reasons if all(reason in line.reasons for line in lines)]
    named = zip(machines, lines, strict=True)
    return End(
        elapsed_ns=max(line.elapsed_ns for line in lines),
        generator_cpu_ns=sum(line.generator_cpu_ns for line in lines),
        validity=Validity.worst(line.validity for line in lines),
        reasons=of_all
        + [f"on {machine}: {reason}" for machine, line in named for reason in line.reasons if reason not in of_all],
    )


def _handshakes(all_of_them: Iterable[TlsHandshakes]) -> list[TlsHandshakes]:
    counts: dict[TlsHandshakes, int] = {}
    for handshakes in all_of_them:
        kind = msgspec.structs.replace(handshakes, handshakes=0)
        counts[kind] = counts.get(kind, 0) + handshakes.handshakes
    return [msgspec.structs.replace(kind, handshakes=count) for kind, count in counts.items()]


def _requests(all_of_them: Iterable[RequestTotals]) -> list[RequestTotals]:
    """Of a mix, by name."""
    by_name: dict[str, list[RequestTotals]] = {}
    for request in all_of_them:
        by_name.setdefault(request.request, []).append(request)
    return [
        msgspec.structs.replace(
            same[0], **_added(same, REQUEST_COUNTS, REQUEST_TIMES), errors=sum_by_kind(one.errors for one in same)
        )
        for same in by_name.values()
    ]


def _beside_slice(by_generator: Iterable[BesideSlice | None]) -> BesideSlice | None:
    """With fewer such connections than generators some have none."""
    having = [beside for beside in by_generator if beside is not None]
    if not having:
        return None
    errors = sum_by_kind(beside.errors for beside in having)
    return msgspec.structs.replace(having[0], **_added(having, BESIDE_SLICE_COUNTS), errors=errors)


def _beside_totals(by_generator: Iterable[BesideTotals | None]) -> BesideTotals | None:
    having = [beside for beside in by_generator if beside is not None]
    if not having:
        return None
    errors = sum_by_kind(beside.errors for beside in having)
    return msgspec.structs.replace(having[0], **_added(having, BESIDE_COUNTS, BESIDE_TIMES), errors=errors)


def _added(parts: Sequence[object], counts: Sequence[str], times: Sequence[str] = ()) -> Mapping[str, int | str | None]:
    """Counts (unknown if one of them is) and histograms (none if nobody has one), by key."""
    sums: dict[str, int | str | None] = {key: total(getattr(part, key) for part in parts) for key in counts}
    for key in times:
        encoded = [text for part in parts if (text := getattr(part, key)) is not None]
        sums[key] = histogram.add_up(encoded) if encoded else None
    return sums
