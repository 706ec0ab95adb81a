"""What a record says: per experiment and arm the figures that every report shows. A pure fold over blocks."""

from __future__ import annotations

import msgspec

from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.programs.generators.engine_lines import TlsHandshakes, Validity
from hopcost.programs.generators.server_faults import ServerFault
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.evidence import Memory, TimeWait
from hopcost.record.contents.restart import RestartRun
from hopcost.record.contents.run import Ending, Record
from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.arms.requests import RequestFigures, figures_of_requests
from hopcost.statistics.arms.sites import SiteRatios, site_ratios
from hopcost.statistics.comparisons import BUSY_MACHINE, MIXED_HOSTS, Comparison, compare_arm, too_few
from hopcost.statistics.intervals import ONE, Interval
from hopcost.statistics.precision import looks
from hopcost.statistics.summary import cpu, duty, hop_cost, usage, warm_up
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.open_loop import OpenFigures, VoidStarts, open_figures_of_arm, void_starts
from hopcost.statistics.summary.openings import WorkersLuck, workers_luck
from hopcost.statistics.summary.published import published_figures
from hopcost.statistics.summary.repeats import ArmRepeats, PeerFigures, summarise_peer_runs, summarise_repeats
from hopcost.statistics.summary.service_time import BesideFigures, Quantile, figures_beside, service_times
from hopcost.statistics.summary.soak import Course, summarise_soak
from hopcost.statistics.summary.usage import ArmSurroundings, Traffic
from hopcost.statistics.validity.arm import Consequence, faults_of_arm, is_generator_full
from hopcost.statistics.validity.bias import can_be_judged, why_run_is_convicted
from hopcost.suites.articles.published import Published

ERROR_KINDS = ("connect", "tls", "write", "read", "protocol", "status", "body", "timeout")


class ArmSummary(msgspec.Struct, frozen=True):
    """One arm over all valid blocks; the baseline's figures are its first run's, ratios are to the mean of both.

    Throughput is correct answers per second of the arm's own time; CPU is ns per correct answer. Errors and reconnects
    are of whole blocks, warm-up and settling included. `cpu_percent` is the CPU time of all hops as a share of the
    stack's cores in the arm's own time. TIME_WAIT and memory are by hop, the largest of all blocks. `faults` are the
    arm's own. `throughput_is_a_bound` is true if the generator was full and the stack was not, `baseline_is_a_bound`
    if it was so for the baseline; `cpu_falls` if the arm was not steady: then it has no size. `loads_not_carried` are
    the shares of offered loads that are too much for it. `restarts` are its runs with a restart, one for each block.
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
    baseline_is_a_bound: bool = False
    cpu_falls: bool = False
    loads_not_carried: list[float] = []
    comparisons: list[Comparison] = []
    open_loop: list[OpenFigures] = []
    requests: list[RequestFigures] = []
    faults: list[str] = []
    cpu_percent: float | None = None
    time_wait: list[TimeWait] = []
    memory: dict[str, Memory] = {}
    notes: list[str] = []
    tls: list[TlsHandshakes] = []
    server_faults: list[ServerFault] = []
    peer: str | None = None
    peer_figures: PeerFigures | None = None
    beside: list[BesideFigures] = []
    traffic: Traffic | None = None
    restarts: list[RestartRun] = []

    def comparison(self, figure: str, load_per_s: float | None = None) -> Comparison | None:
        """The arm's comparison with the baseline in a figure at a load (None: saturation)."""
        asked = (figure, load_per_s)
        return next(
            (comparison for comparison in self.comparisons if (comparison.figure, comparison.load_per_s) == asked), None
        )

    def cpu_at(self, share: float | None) -> dict[str, int | None]:
        """CPU ns per request by hop, and of the generator, at a share of capacity (None: at saturation)."""
        if share is None:
            return self.cpu_ns_per_request
        return next((load.cpu_ns_per_request for load in self.open_loop if load.share == share), {})


class ExperimentSummary(msgspec.Struct, frozen=True):
    """An experiment over its valid blocks.

    `margin` (a fraction) is what the size of a difference is read against. `no_verdicts` says why no arm has a verdict.
    `instrument_is_biased` is the run's: null if nobody judged it. `duty` is the share of the time under counted load.
    `sites` has a fleet's machines one by one.
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
    hop_costs: list[HopCost] = []
    surroundings: list[ArmSurroundings] = []
    workers_luck: list[WorkersLuck] = []
    soak: list[Course] = []
    repeats: list[ArmRepeats] = []
    duty: float | None = None
    void_loads: list[VoidStarts] = []
    sites: list[SiteRatios] = []


def summarise(record: Record) -> list[ExperimentSummary]:
    """Each planned experiment in order, also those without any block."""
    blocks = RecordBlocks(record.plan.experiments, record.blocks)
    is_judged = not (record.plan.on_busy_machine or record.plan.on_mixed_hosts) and can_be_judged(blocks)
    why_convicted = why_run_is_convicted(blocks) if is_judged else None
    is_biased = why_convicted is not None if is_judged else None
    return [
        _summarise_experiment(record, blocks.of(planned), why_convicted, is_biased)
        for planned in record.plan.experiments
    ]


def _summarise_experiment(
    record: Record, arms: PairedBlocks, why_convicted: str | None, is_biased: bool | None
) -> ExperimentSummary:
    planned, margin = arms.experiment, record.plan.margin
    blocks = record.blocks_of(planned.name)
    repeats = [repeat for repeat in record.repeats if repeat.experiment == planned.name]
    ending = next((ending for ending in record.run.endings if ending.experiment == planned.name), None)
    valid = [block for block in blocks if block.validity != Validity.VOID]
    error = looks.error_at_end(ending.why if ending is not None else None, record.plan.until)
    own_error = looks.error_of_one_arm(planned, error)
    withheld = _why_withheld(record.plan, planned, len(valid), why_convicted)

    def comparisons(arm: str) -> list[Comparison]:
        experiments = len(record.plan.experiments)
        return compare_arm(arms, planned, arm, error=error, margin=margin, withheld=withheld, experiments=experiments)

    return ExperimentSummary(
        plan=planned,
        ending=ending,
        blocks=len(valid),
        void=[block for block in blocks if block.validity == Validity.VOID],
        suspect=[block for block in blocks if block.validity == Validity.SUSPECT],
        failures=[failure for block in blocks for failure in block.failures],
        aa_floor=arms.floor(figures.throughput, error),
        margin=margin,
        arms=[
            _summarise_arm(arms, arm, own_error, comparisons(arm.name))
            for arm in planned.arms
            if arm.copy_of is None and arms.of(arm.name)
        ],
        harness_load=_harness_load(valid),
        no_verdicts=withheld,
        instrument_is_biased=is_biased,
        hop_costs=hop_cost.hop_costs(arms, planned, own_error),
        surroundings=usage.surroundings(valid, repeats),
        workers_luck=workers_luck(valid),
        soak=summarise_soak(planned, valid),
        repeats=summarise_repeats(planned, repeats),
        duty=duty.counted_share(blocks),
        void_loads=void_starts(valid),
        sites=site_ratios(arms),
    )


def _why_withheld(plan: Plan, planned: PlannedExperiment, valid: int, why_convicted: str | None) -> str | None:
    """Why nothing in the experiment gets a verdict."""
    if plan.on_busy_machine:
        return BUSY_MACHINE
    if plan.on_mixed_hosts:
        return MIXED_HOSTS
    if why_convicted is not None:
        return why_convicted
    if planned.turns is Turns.SOAK:
        return "a soak is one start"
    return too_few(valid)


def _harness_load(valid: list[Block]) -> float | None:
    """CPU time of the harness ÷ time of the engine's runs; None without any run."""
    used_ns = figures.total(block.harness_cpu_ns for block in valid)
    loaded_ns = sum(block.end.elapsed_ns for block in valid if block.end is not None)
    return used_ns / loaded_ns if used_ns is not None and loaded_ns else None


def _summarise_arm(
    arms: PairedBlocks,
    arm: PlannedArm,
    error: float,
    comparisons: list[Comparison],
) -> ArmSummary:
    planned, name, parts = arms.experiment, arm.name, arms.of(arm.name)
    answers, elapsed_ns = sum(part.answers for part in parts), sum(part.elapsed_ns for part in parts)
    is_one = name == planned.baseline and answers > 0
    published, published_ratio = published_figures(planned, name)
    peer_runs = [part.peer for part in parts if part.peer is not None]
    faults = faults_of_arm(parts, planned)
    return ArmSummary(
        name=name,
        title=arm.arm.title,
        answers=answers,
        throughput_per_s=answers * 1e9 / elapsed_ns if elapsed_ns else None,
        throughput_is_a_bound=any(is_generator_full(part, planned) for part in parts),
        baseline_is_a_bound=any(is_generator_full(part, planned) for part in arms.of(planned.baseline)),
        ratio=ONE if is_one else arms.ratio(name, figures.throughput, error),
        cpu_ns_per_request=cpu.cpu_per_request(cpu.cpu_by_hop(parts), answers),
        cpu_ratio=ONE if is_one else arms.ratio(name, figures.cpu_per_request, error),
        comparisons=comparisons,
        open_loop=open_figures_of_arm(parts),
        requests=figures_of_requests(parts),
        service_time_ns=service_times(parts),
        errors=figures.sum_by_kind([dict.fromkeys(ERROR_KINDS, 0), *(part.errors for part in parts)]),
        faults=[fault.text for fault in faults],
        cpu_falls=any(fault.consequence is Consequence.NO_VERDICT for fault in faults),
        loads_not_carried=sorted(
            {fault.share for fault in faults if fault.consequence is Consequence.NO_LOAD and fault.share is not None}
        ),
        reconnects=sum(part.totals.reconnects for part in parts if part.totals is not None),
        cpu_outside=cpu.cpu_outside(parts),
        steady=warm_up.is_steady(parts),
        header_bytes=parts[0].check.header_bytes,
        body_bytes=parts[0].check.body_bytes,
        published=published,
        published_ratio=published_ratio,
        cpu_percent=cpu.cpu_percent(
            (part.cpu_ns(hop) for part in parts for hop in part.hops), elapsed_ns, len(planned.cores.stack)
        ),
        time_wait=usage.time_wait(parts),
        memory=usage.memory(parts),
        tls=usage.tls(parts),
        server_faults=usage.server_faults(parts),
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        peer=next((f"{run.peer} {run.version}" for run in peer_runs), None),
        peer_figures=summarise_peer_runs(peer_runs),
        beside=figures_beside(parts),
        traffic=usage.traffic(parts),
        restarts=[part.restarted for part in parts if part.restarted is not None],
    )
