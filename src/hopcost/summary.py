"""What a record says: per experiment and arm the figures that every report shows. A pure fold over blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from hopcost import beside, histogram, peer_figures, repeats, soak_summary, statistics
from hopcost.beside import ArmSurroundings
from hopcost.peer_figures import PeerFigures
from hopcost.plan import PlannedExperiment
from hopcost.record import ArmBlock, Block, Ending, Failure, Record, Repeat
from hopcost.repeats import ArmRepeats
from hopcost.soak_summary import Course
from hopcost.statistics import Interval
from hopcost.suite import Published
from hopcost.usage import Memory, TimeWait

ERROR_KINDS = ("connect", "tls", "write", "read", "protocol", "status", "body", "timeout")


class Quantile(msgspec.Struct, frozen=True):
    """`at_least` is true where the quantile lies among requests that were never answered."""

    ns: int
    at_least: bool


class ArmSummary(msgspec.Struct, frozen=True):
    """One arm over all valid blocks; the baseline's figures are its first run's, ratios are to the mean of both.

    Throughput is correct answers per second of the arm's own time; CPU is ns per correct answer. Errors and reconnects
    are those of whole blocks, warm-up and settling included. `cpu_percent` is all hops' CPU time of what the stack's
    cores had to give in the arm's own time. TIME_WAIT and memory are by hop, the largest of all blocks.
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
    plateau: bool
    header_bytes: int
    body_bytes: int
    published: Published | None
    published_ratio: float | None
    cpu_percent: float | None = None
    time_wait: list[TimeWait] = []
    memory: dict[str, Memory] = {}
    notes: list[str] = []
    peer: str | None = None
    peer_figures: PeerFigures | None = None


class ExperimentSummary(msgspec.Struct, frozen=True):
    """An experiment over its valid blocks."""

    plan: PlannedExperiment
    ending: Ending | None
    blocks: int
    void: list[Block]
    suspect: list[Block]
    failures: list[Failure]
    aa_floor: Interval | None
    error: float
    arms: list[ArmSummary]
    harness_load: float | None
    surroundings: list[ArmSurroundings] = []
    soak: list[Course] = []
    repeats: list[ArmRepeats] = []


def summarise(record: Record) -> list[ExperimentSummary]:
    """Each planned experiment in order, those without any block included."""
    endings = {ending.experiment: ending for ending in record.run.endings}
    return [
        _experiment(
            planned,
            [block for block in record.blocks if block.experiment == planned.name],
            endings.get(planned.name),
            len(record.plan.looks),
            [repeat for repeat in record.repeats if repeat.experiment == planned.name],
        )
        for planned in record.plan.experiments
    ]


def widths(experiment: PlannedExperiment, blocks: list[Block], looks: int) -> list[float | None]:
    """Half-widths of all ratios' intervals so far, the A/A arm's included; None for an arm without an interval."""
    table = _Table(experiment, [block for block in blocks if block.validity != "void"])
    names = [arm.name for arm in experiment.arms if arm.name != experiment.baseline and table.of(arm.name)]
    ratios = [table.ratio(name, throughput, statistics.error_per_look(looks)) for name in names]
    return [None if each is None else each.half_width for each in ratios]


def block_ratio(experiment: PlannedExperiment, block: Block, name: str) -> float | None:
    """An arm's throughput ÷ the mean of the baseline's two runs in one block."""
    interval = _Table(experiment, [block]).ratio(name, throughput, statistics.CONFIDENCE_ERROR)
    return None if interval is None else interval.value


def throughput(arm: ArmBlock) -> float:
    """Correct answers per second of the arm's own time, over the block's slices."""
    return arm.answers * 1e9 / max(1, arm.elapsed_ns)


def cpu_per_request(arm: ArmBlock) -> float:
    """CPU ns of all hops per correct answer, over the block's slices; 0, no ratio, where that is not known."""
    used = _total(arm.cpu_ns(hop) for hop in arm.hops)
    return used / arm.answers if used is not None and arm.answers else 0.0


def _total(values: Iterable[int | None]) -> int | None:
    """The sum; None when one of them is: part of a CPU time is no CPU time."""
    total = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total


class _Table:
    """The valid blocks by arm, and ratios to the baseline's two runs out of them."""

    def __init__(self, experiment: PlannedExperiment, blocks: list[Block]) -> None:
        self.baseline = experiment.baseline
        self.again = next((arm.name for arm in experiment.arms if arm.copy_of == experiment.baseline), None)
        self.blocks = [{arm.name: arm for arm in block.arms} for block in blocks]

    def of(self, name: str) -> list[ArmBlock]:
        """The arm's part of every block that it was in."""
        return [block[name] for block in self.blocks if name in block]

    def ratio(self, name: str, figure: Callable[[ArmBlock], float], error: float) -> Interval | None:
        """Figure of the arm ÷ mean of the baseline's two runs, paired by block; the A/A arm ÷ the first run."""
        pairs = [
            (figure(block[name]), self._reference(block, name, figure))
            for block in self.blocks
            if name in block and self.baseline in block
        ]
        return statistics.ratio([arm for arm, _ in pairs], [baseline for _, baseline in pairs], error)

    def _reference(self, block: dict[str, ArmBlock], name: str, figure: Callable[[ArmBlock], float]) -> float:
        first = figure(block[self.baseline])
        if name == self.again or self.again is None or self.again not in block:
            return first
        second = figure(block[self.again])
        return (first + second) / 2 if first and second else 0.0  # a run without the figure would halve the mean


def _experiment(
    planned: PlannedExperiment, blocks: list[Block], ending: Ending | None, looks: int, repeated: list[Repeat]
) -> ExperimentSummary:
    valid = [block for block in blocks if block.validity != "void"]
    table = _Table(planned, valid)
    error = statistics.error_per_look(looks)
    loaded_ns = sum(block.end.elapsed_ns for block in valid if block.end is not None)
    return ExperimentSummary(
        plan=planned,
        ending=ending,
        blocks=len(valid),
        void=[block for block in blocks if block.validity == "void"],
        suspect=[block for block in blocks if block.validity == "suspect"],
        failures=[failure for block in blocks for failure in block.failures],
        aa_floor=table.ratio(table.again, throughput, error) if table.again is not None else None,
        error=error,
        arms=[
            _arm(planned, table, arm.name, arm.arm.title, error)
            for arm in planned.arms
            if arm.copy_of is None and table.of(arm.name)
        ],
        harness_load=sum(block.harness_cpu_ns for block in valid) / loaded_ns if loaded_ns else None,
        surroundings=beside.surroundings(valid, repeated),
        soak=soak_summary.summarise(planned, valid, block_ratio),
        repeats=repeats.summarise(planned, repeated),
    )


def _arm(planned: PlannedExperiment, table: _Table, name: str, title: str, error: float) -> ArmSummary:
    parts = table.of(name)
    slices = [each for part in parts for each in part.slices]
    answers = sum(part.answers for part in parts)
    elapsed_ns = sum(part.elapsed_ns for part in parts)
    inside = _total(value for each in slices for value in each.cpu_ns.values())
    outside = _total(value for each in slices for value in each.cpu_outside_ns.values())
    is_baseline = name == planned.baseline
    published = {row.arm: row for row in planned.published}
    own, control = published.get(name), published.get(planned.control or "")
    return ArmSummary(
        name=name,
        title=title,
        answers=answers,
        throughput_per_s=answers * 1e9 / elapsed_ns if elapsed_ns else None,
        ratio=statistics.ONE if is_baseline and answers else table.ratio(name, throughput, error),
        cpu_ns_per_request=_cpu_by_hop(parts),
        cpu_ratio=statistics.ONE if is_baseline and answers else table.ratio(name, cpu_per_request, error),
        service_time_ns=_service_time(parts),
        errors={
            kind: sum(part.errors.get(kind, 0) for part in parts)
            for kind in dict.fromkeys([*ERROR_KINDS, *(kind for part in parts for kind in part.errors)])
        },
        reconnects=sum(part.totals.reconnects for part in parts if part.totals is not None),
        cpu_outside=outside / inside if inside and outside is not None else None,
        plateau=all(part.warm_up.plateau for part in parts if part.warm_up is not None),
        header_bytes=parts[0].check.header_bytes,
        body_bytes=parts[0].check.body_bytes,
        published=own,
        published_ratio=_published_ratio(own, control),
        cpu_percent=_cpu_percent(parts, len(planned.cores.stack)),
        time_wait=beside.time_wait(parts),
        memory=beside.memory(parts),
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        peer=next((f"{part.peer.peer} {part.peer.version}" for part in parts if part.peer is not None), None),
        peer_figures=peer_figures.of([part.peer for part in parts if part.peer is not None]),
    )


def _cpu_percent(parts: Sequence[ArmBlock], cores: int) -> float | None:
    """CPU time of all hops ÷ (elapsed time × cores of the stack); None where a CPU time is not known."""
    used = _total(part.cpu_ns(hop) for part in parts for hop in part.hops)
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
    used = {hop: _total(part.cpu_ns(hop) for part in parts) for hop in parts[0].hops}
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
