"""Blocks made by hand: slices, parts and offered loads with chosen figures, everything else at rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec
from hdrh.histogram import HdrHistogram

from hopcost.programs.generators.agent import AgentEdges
from hopcost.programs.generators.engine_lines import ArmTotals, End, Slice, Start, Validity, WarmedUp
from hopcost.programs.generators.generator_slice import GeneratorSlice
from hopcost.record.contents.block import ArmBlock, Block, Failure
from hopcost.record.contents.evidence import CheckedAnswer
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.histogram import FIGURES, HIGHEST_NS, LOWEST_NS

MS = 1_000_000  # ns
HOPS = {"direct": ["app"], "behind": ["proxy", "app"], "beside": ["app"]}


def histogram(*values: int) -> str:
    """V2 compressed, base64, as the engine writes it."""
    return histogram_of(Counter(values))


def histogram_of(counts: dict[int, int]) -> str:
    """The same out of values in ns and how often each came."""
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES)
    for value, count in counts.items():
        histogram.record_value(value, count)
    encoded: bytes = histogram.encode()
    return encoded.decode()


def slice_of(
    arm: str,
    answers: int,
    *,
    elapsed_ns: int = 100 * MS,
    cpu_ns: Mapping[str, int | None] | None = None,
    generator_cpu_ns: int = 0,
    outside_ns: int = 0,
    errors: dict[str, int] | None = None,
    reconnects: int = 0,
) -> Slice:
    """One slice; without `cpu_ns` its hops used nothing."""
    hops = HOPS.get(arm.removesuffix("-aa"), ["app"])
    return Slice(
        arm=arm,
        round=0,
        place=0,
        start_ns=0,
        elapsed_ns=elapsed_ns,
        freeze_ns=0,
        frozen_ns=None,
        answers=answers,
        sent=answers,
        errors=errors or {},
        reconnects=reconnects,
        received_bytes=answers * 153,
        cpu_ns=dict(cpu_ns) if cpu_ns is not None else dict.fromkeys(hops, 0),
        cpu_outside_ns={hop: outside_ns if hop == hops[0] else 0 for hop in hops},
        generator_cpu_ns=generator_cpu_ns,
    )


def generator_slice(machine: str, agent: AgentEdges | None = None, /, **figures: int) -> GeneratorSlice:
    """What one of several generators did in a slice of 100 ms: nothing but these figures."""
    values = {"elapsed_ns": 100 * MS, "answers": 0, "sent": 0, "due": 0, "not_sent": 0, "late": 0}
    values |= {"generator_cpu_ns": 0, "spin_ns": 0, "run_delay_ns": 0, "in_flight_ns": 0} | figures
    return GeneratorSlice(machine, agent=agent, **values)


def part(
    *slices: Slice,
    service_time_ns: tuple[int, ...] = (),
    unanswered_ns: tuple[int, ...] = (),
    header_bytes: int = 141,
    body_bytes: int = 12,
    warmed_up: tuple[int, ...] = (1, 2, 3),
) -> ArmBlock:
    """An arm's part of a block out of its slices."""
    name = slices[0].arm
    answers = sum(piece.answers for piece in slices)
    return ArmBlock(
        name=name,
        copy_of="direct" if name == "direct-aa" else None,
        hops=HOPS[name.removesuffix("-aa")],
        check=CheckedAnswer(
            status=200, header_bytes=header_bytes, body_bytes=body_bytes, header_fields=["Date", "Content-Length"]
        ),
        warm_up=WarmedUp(
            arm=name,
            elapsed_ns=len(warmed_up) * 100 * MS,
            plateau=True,
            answers=list(warmed_up),
            errors={},
            slices_elapsed_ns=[100 * MS] * len(warmed_up),
            cpu_ns=[100 * MS] * len(warmed_up),
        ),
        slices=list(slices),
        totals=ArmTotals(
            arm=name,
            sent=answers + len(unanswered_ns),
            answers=answers,
            compared=answers,
            in_flight=len(unanswered_ns),
            established=1,
            reconnects=sum(piece.reconnects for piece in slices),
            errors={
                kind: sum(other.errors.get(kind, 0) for other in slices) for piece in slices for kind in piece.errors
            },
            service_time=histogram(*service_time_ns),
            unanswered=histogram(*unanswered_ns),
        ),
    )


def rounds_of(arm: str, *answers: int, cpu_ns: int | None = 0) -> ArmBlock:
    """An arm's part of a block with a slice of 100 ms in each round, with these answers."""
    slices = [slice_of(arm, number, cpu_ns=dict.fromkeys(HOPS[arm.removesuffix("-aa")], cpu_ns)) for number in answers]
    return part(*(msgspec.structs.replace(piece, round=number) for number, piece in enumerate(slices)))


def block(
    number: int,
    *parts: ArmBlock,
    validity: Validity = Validity.VALID,
    reasons: tuple[Reason | str, ...] = (),
    failures: tuple[Failure, ...] = (),
    harness_cpu_ns: int = 0,
) -> Block:
    """A block of the experiment `cost`; a reason that is a text stands as it is."""
    slices_ns = sum(piece.elapsed_ns for part in parts for piece in part.slices)
    return Block(
        experiment="cost",
        number=number,
        seed=1000 + number,
        started_utc="2025-01-02T03:04:05Z",
        elapsed_ns=slices_ns + 1000 * MS,
        slices_elapsed_ns=slices_ns,
        harness_cpu_ns=harness_cpu_ns,
        foreign_cpu_ns=0,
        steal_ns=0,
        validity=validity,
        reasons=[reason if isinstance(reason, Reason) else broke_off(reason) for reason in reasons],
        failures=list(failures),
        arms=list(parts),
        engine=Start(version="0.1.0", io="uring", batch=1, cores=[1], compared_one_in=16),
        end=End(elapsed_ns=slices_ns, generator_cpu_ns=0, validity=Validity.VALID, reasons=[]),
    )


def broke_off(text: str) -> Reason:
    """Why a block came to nothing."""
    return Reason(ReasonKind.BROKE_OFF, text=text)


def sound_part(arm: str) -> ArmBlock:
    """Two slices of 1 s, 20,000 answers of 1 ms in each, half a core of its hops; then 5000/s in the open loop."""
    hops = HOPS[arm.removesuffix("-aa")]
    half: dict[str, int | None] = dict.fromkeys(hops, 500 * MS // len(hops))
    arm_part = part(
        *(slice_of(arm, 20_000, elapsed_ns=1000 * MS, cpu_ns=half, generator_cpu_ns=600 * MS) for _ in "12")
    )
    assert arm_part.totals is not None
    arm_part.totals.service_time = histogram_of({MS: 40_000})
    for piece in arm_part.slices:
        piece.in_flight_ns, piece.aged_ns = 20_000 * MS, 0
    arm_part.open_loop = [open_load(arm)]
    return arm_part


def open_load(arm: str, rate_per_s: int = 5000) -> OpenLoad:
    """Two slices of 1 s, answers after 1 ms, an eighth of a core of its hops, nothing late, nothing unsent."""
    hops = HOPS[arm.removesuffix("-aa")]
    eighth: dict[str, int | None] = dict.fromkeys(hops, 125 * MS // len(hops))
    slices = [
        slice_of(arm, rate_per_s, elapsed_ns=1000 * MS, cpu_ns=eighth, generator_cpu_ns=200 * MS) for _ in range(2)
    ]
    for piece in slices:
        piece.due, piece.not_sent, piece.late, piece.drain_ns, piece.spin_ns = rate_per_s, 0, 0, MS, 100 * MS
        piece.in_flight_ns, piece.aged_ns = rate_per_s * MS, 0
    times = histogram_of({MS: 2 * rate_per_s})
    totals = part(*slices).totals
    assert totals is not None
    totals.service_time = totals.response_time = times
    totals.due, totals.not_sent = 2 * rate_per_s, 0
    totals.response_unanswered = totals.send_lag = totals.unsent = histogram_of({})
    return OpenLoad(
        share=0.25,
        rate_per_s=rate_per_s,
        warm_up=WarmedUp(arm=arm, elapsed_ns=300 * MS, plateau=True, answers=[1, 2, 3], errors={}),
        slices=slices,
        totals=totals,
    )


def sound_block(number: int = 0) -> Block:
    """A block that nothing speaks against."""
    start = block(number, *(sound_part(arm) for arm in ("direct", "behind", "direct-aa")))
    start.open_ends = [End(elapsed_ns=7000 * MS, generator_cpu_ns=0, validity=Validity.VALID, reasons=[])]
    start.throttled_ns, start.swapped_pages, start.clock_step_ns, start.longest_stall_ns = 0, 0, 1000, 2 * MS
    return start


def plain_block(number: int, direct: int = 1000, again: int = 1000, behind: int = 400) -> Block:
    """A block of one slice of 100 ms per arm, with these answers."""
    return block(
        number, part(slice_of("direct", direct)), part(slice_of("behind", behind)), part(slice_of("direct-aa", again))
    )
