"""What a record says: per experiment and arm the figures that every report shows. A pure fold over blocks."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.record import histogram
from hopcost.record.block import ArmBlock, Block, Failure
from hopcost.record.evidence import Memory, TimeWait
from hopcost.record.repeat import Repeat
from hopcost.record.run import Ending, Record
from hopcost.statistics import figures, looks, stop
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.comparisons import BUSY_MACHINE, Comparison, compare_arm, too_few
from hopcost.statistics.figures import total
from hopcost.statistics.intervals import ONE, Interval
from hopcost.statistics.summary import hop_cost, usage, warm_up
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.open_loop import OpenFigures, open_figures_of_arm, p99_agreement
from hopcost.statistics.summary.repeats import ArmRepeats, PeerFigures, summarise_peer_runs, summarise_repeats
from hopcost.statistics.summary.soak import Course, summarise_soak
from hopcost.statistics.summary.usage import ArmSurroundings
from hopcost.statistics.validity.arm import faults_of_arm, is_generator_full
from hopcost.suites.published import Published

ERROR_KINDS = ("connect", "tls", "write", "read", "protocol", "status", "body", "timeout")


class Quantile(msgspec.Struct, frozen=True):
    """`at_least` is true where the quantile lies among requests that were never answered."""

    ns: int
    at_least: bool


class ArmSummary(msgspec.Struct, frozen=True):
    """One arm over all valid blocks; the baseline's figures are its first run's, ratios are to the mean of both.

    Throughput is correct answers per second of the arm's own time; CPU is ns per correct answer. Errors and reconnects
    are those of whole blocks, warm-up and settling included. `cpu_percent` is all hops' CPU time of what the stack's
    cores had to give in the arm's own time. TIME_WAIT and memory are by hop, the largest of all blocks. `faults` are
    the arm's own. `throughput_is_a_bound` where the generator was full and the stack was not.
    """

    name: str
    title: str
    answers: int
    throughput_per_s: float | None
    ratio: Interval | None
    cpu_ns_per_request: dict[str, int | None]
    cpu_ratio: Interval | None
    service_time_ns: dict[str, Quantile | None]
    errors: dict[str, int]
    reconnects: int
    cpu_outside: float | None
    steady: bool | None
    header_bytes: int
    body_bytes: int
    published: Published | None
    published_ratio: float | None
    throughput_is_a_bound: bool = False
    comparisons: list[Comparison] = []
    open_loop: list[OpenFigures] = []
    faults: list[str] = []
    cpu_percent: float | None = None
    time_wait: list[TimeWait] = []
    memory: dict[str, Memory] = {}
    notes: list[str] = []
    peer: str | None = None
    peer_figures: PeerFigures | None = None

    def comparison(self, figure: str, load_per_s: float | None = None) -> Comparison | None:
        """Its comparison with the baseline in that figure at that load (None: saturation)."""
        return next((each for each in self.comparisons if (each.figure, each.load_per_s) == (figure, load_per_s)), None)

    def cpu_at(self, share: float | None) -> dict[str, int | None]:
        """CPU ns per request by hop, and of the generator, at that share of capacity (None: at saturation)."""
        if share is None:
            return self.cpu_ns_per_request
        return next((load.cpu_ns_per_request for load in self.open_loop if load.share == share), {})


class ExperimentSummary(msgspec.Struct, frozen=True):
    """An experiment over its valid blocks.

    `margin` (a fraction) is the least that a verdict is read against; each figure's is its A/A floor where that is
    more. `no_verdicts` says why nothing here has one. `p99_agrees` is by share of the slowest arm's capacity.
    """

    plan: PlannedExperiment
    ending: Ending | None
    blocks: int
    void: list[Block]
    suspect: list[Block]
    failures: list[Failure]
    aa_floor: Interval | None
    margin: float
    arms: list[ArmSummary]
    harness_load: float | None
    no_verdicts: str | None = None
    instrument_is_biased: bool | None = None
    p99_agrees: dict[float, bool | None] = {}
    hop_costs: list[HopCost] = []
    surroundings: list[ArmSurroundings] = []
    soak: list[Course] = []
    repeats: list[ArmRepeats] = []


def summarise(record: Record) -> list[ExperimentSummary]:
    """Each planned experiment in order, those without any block included."""
    endings = {ending.experiment: ending for ending in record.run.endings}
    planned = record.plan.experiments
    biased = stop.biased_experiments(record.plan, record.blocks)
    return [
        _experiment(
            each,
            record.blocks_of(each.name),
            endings.get(each.name),
            record.plan,
            [repeat for repeat in record.repeats if repeat.experiment == each.name],
            biased,
        )
        for each in planned
    ]


def _experiment(
    planned: PlannedExperiment,
    blocks: list[Block],
    ending: Ending | None,
    plan: Plan,
    repeated: list[Repeat],
    biased: list[str],
) -> ExperimentSummary:
    valid = [block for block in blocks if block.validity != Validity.VOID]
    arms = PairedBlocks(planned, blocks)
    error = looks.error_at_end(plan.looks, arms, ending.why if ending is not None else None)
    own_error = looks.error_of_one_arm(planned, error)
    shares = list(dict.fromkeys(load.share for part in arms.of(planned.copied_arm) for load in part.open_loop))
    p99_agrees = p99_agreement(arms, shares)
    withheld = _withheld(plan, planned, len(valid), biased)
    loaded_ns = sum(block.end.elapsed_ns for block in valid if block.end is not None)
    return ExperimentSummary(
        plan=planned,
        ending=ending,
        blocks=len(valid),
        void=[block for block in blocks if block.validity == Validity.VOID],
        suspect=[block for block in blocks if block.validity == Validity.SUSPECT],
        failures=[failure for block in blocks for failure in block.failures],
        aa_floor=arms.floor(figures.throughput, error),
        margin=plan.margin,
        arms=[
            _arm(
                planned,
                arms,
                arm.name,
                arm.arm.title,
                own_error,
                open_figures_of_arm(arms.of(arm.name), p99_agrees),
                compare_arm(
                    arms,
                    planned,
                    arm.name,
                    error=error,
                    margin=plan.margin,
                    withheld=withheld,
                    p99_agrees=p99_agrees,
                ),
            )
            for arm in planned.arms
            if arm.copy_of is None and arms.of(arm.name)
        ],
        harness_load=sum(block.harness_cpu_ns for block in valid) / loaded_ns if loaded_ns else None,
        no_verdicts=withheld,
        instrument_is_biased=None if arms.copy is None or len(valid) < 2 else bool(biased),
        p99_agrees=p99_agrees,
        hop_costs=hop_cost.hop_costs(arms, planned, own_error, p99_agrees),
        surroundings=usage.surroundings(valid, repeated),
        soak=summarise_soak(planned, valid),
        repeats=summarise_repeats(planned, repeated),
    )


def _withheld(plan: Plan, planned: PlannedExperiment, valid: int, biased: list[str]) -> str | None:
    """Why nothing in the experiment gets a verdict."""
    if plan.on_busy_machine:
        return BUSY_MACHINE
    if biased:
        return f"the baseline differs from itself beyond the margin in {', '.join(biased)}: the run has no verdicts"
    if planned.turns is Turns.SOAK:
        return "a soak is one start"
    return too_few(valid)


def _arm(
    planned: PlannedExperiment,
    arms: PairedBlocks,
    name: str,
    title: str,
    error: float,
    open_loop: list[OpenFigures],
    comparisons: list[Comparison],
) -> ArmSummary:
    parts = arms.of(name)
    slices = [each for part in parts for each in part.slices]
    answers = sum(part.answers for part in parts)
    elapsed_ns = sum(part.elapsed_ns for part in parts)
    inside = total(value for each in slices for value in each.cpu_ns.values())
    outside = total(value for each in slices for value in each.cpu_outside_ns.values())
    is_baseline = name == planned.baseline
    published = {row.arm: row for row in planned.published}
    own, control = published.get(name), published.get(planned.control or "")
    return ArmSummary(
        name=name,
        title=title,
        answers=answers,
        throughput_per_s=answers * 1e9 / elapsed_ns if elapsed_ns else None,
        throughput_is_a_bound=any(is_generator_full(part, planned) for part in parts),
        ratio=ONE if is_baseline and answers else arms.ratio(name, figures.throughput, error),
        cpu_ns_per_request=_cpu_by_hop(parts),
        cpu_ratio=ONE if is_baseline and answers else arms.ratio(name, figures.cpu_per_request, error),
        comparisons=comparisons,
        open_loop=open_loop,
        service_time_ns=_service_time(parts),
        errors={
            kind: sum(part.errors.get(kind, 0) for part in parts)
            for kind in dict.fromkeys([*ERROR_KINDS, *(kind for part in parts for kind in part.errors)])
        },
        faults=list(dict.fromkeys(fault for part in parts for fault in faults_of_arm(part, planned))),
        reconnects=sum(part.totals.reconnects for part in parts if part.totals is not None),
        cpu_outside=outside / inside if inside and outside is not None else None,
        steady=warm_up.is_steady(parts),
        header_bytes=parts[0].check.header_bytes,
        body_bytes=parts[0].check.body_bytes,
        published=own,
        published_ratio=_published_ratio(own, control),
        cpu_percent=_cpu_percent(parts, len(planned.cores.stack)),
        time_wait=usage.time_wait(parts),
        memory=usage.memory(parts),
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        peer=next((f"{part.peer.peer} {part.peer.version}" for part in parts if part.peer is not None), None),
        peer_figures=summarise_peer_runs([part.peer for part in parts if part.peer is not None]),
    )


def _cpu_percent(parts: Sequence[ArmBlock], cores: int) -> float | None:
    """CPU time of all hops ÷ (elapsed time × cores of the stack); None where a CPU time is not known."""
    used = total(part.cpu_ns(hop) for part in parts for hop in part.hops)
    elapsed_ns = sum(part.elapsed_ns for part in parts)
    return used / elapsed_ns / cores * 100 if used is not None and elapsed_ns else None


def _published_ratio(own: Published | None, control: Published | None) -> float | None:
    """The article's throughput ÷ its control group's; None where it printed one of them as an error."""
    if own is None or control is None or own.throughput_per_s is None or control.throughput_per_s is None:
        return None
    return own.throughput_per_s / control.throughput_per_s


def _cpu_by_hop(parts: Sequence[ArmBlock]) -> dict[str, int | None]:
    """CPU ns per correct answer of each hop and of the generator; None where a CPU time is not known."""
    answers = sum(part.answers for part in parts)
    used = {hop: total(part.cpu_ns(hop) for part in parts) for hop in parts[0].hops}
    used["generator"] = sum(part.generator_cpu_ns for part in parts)
    return {name: round(ns / answers) if ns is not None and answers else None for name, ns in used.items()}


def _service_time(parts: Sequence[ArmBlock]) -> dict[str, Quantile | None]:
    """p50 and p99 of the histograms merged over blocks; None where nothing was answered or waited for."""
    found = histogram.quantiles(
        histogram.merge(part.totals.service_time for part in parts if part.totals is not None),
        histogram.merge(part.totals.unanswered for part in parts if part.totals is not None),
        (0.50, 0.99),
    )
    return {
        key: None if value is None else Quantile(ns=value[0], at_least=not value[1])
        for key, value in zip(("p50", "p99"), found, strict=True)
    }
