"""Which site measures which block next: pure, given the blocks that are there and the time left.

Numbers are handed out in order and taken into account in order, whichever block comes first: a fast site decides
nothing. Blocks of an experiment are spread evenly over the sites.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from hopcost.measure.blocks.next_block import FinishedBlocks, NextBlock
from hopcost.measure.blocks.sizing import block_seed
from hopcost.plan import open_loop
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import Ending
from hopcost.statistics.figures import throughput
from hopcost.statistics.validity.reasons import shorten_reasons

VOID_AT_MOST = 2  # blocks of one site


class Turn(msgspec.Struct, frozen=True):
    """A block for a site."""

    experiment: PlannedExperiment
    step: NextBlock


class Flight(msgspec.Struct, frozen=True):
    """A block under way."""

    site: str
    began_s: float


class FleetCourse:
    """One experiment: its blocks under way and finished, and the sites' time that it used."""

    def __init__(self, plan: Plan, experiment: PlannedExperiment) -> None:
        self.experiment = experiment
        self.finished = FinishedBlocks(plan, experiment)
        self.flights: dict[int, Flight] = {}
        self.counts: dict[str, int] = {}  # blocks by site, void ones not counted
        self._early: dict[int, Block] = {}  # blocks that came before one of a lower number
        self._settled = 0
        self._used_s = 0.0

    @property
    def in_flight(self) -> int:
        """Blocks whose number was handed out and that do not count yet."""
        return len(self.flights) + len(self._early)

    def used_s(self, now_s: float) -> float:
        """Time of sites, that of the blocks under way included."""
        return self._used_s + sum(now_s - flight.began_s for flight in self.flights.values())

    def next(
        self, site: str, sites: Sequence[str], seconds_left: float, so_far: Sequence[Block]
    ) -> Turn | Ending | None:
        """The site's next block, or why the experiment ends; None: not now. Each of `sites` has `seconds_left`.

        Loads that are shares of what the slowest stack can do are one number for all sites: the first block of each
        site has none, and the slowest site's decide.
        """
        is_first = self._waits_for_rates(sites)
        if self.counts.get(site, 0) > min(self.counts.get(name, 0) for name in sites):
            return None  # a site that measured fewer takes it
        if is_first and self.in_flight and len(self.finished.valid) + self.in_flight >= len(sites):
            return None
        step = self.finished.next_beside(self.in_flight, len(sites), seconds_left, so_far)
        if not isinstance(step, NextBlock):
            return step
        planned = msgspec.structs.replace(self.experiment, slice_ns=step.slice_ns)
        if is_first:
            planned = msgspec.structs.replace(planned, open_loop_shares=[])
        return Turn(planned, step)

    def begin(self, turn: Turn, site: str, now_s: float) -> None:
        """The block is under way."""
        self.flights[turn.step.number] = Flight(site, now_s)
        self.counts[site] = self.counts.get(site, 0) + 1

    def end(self, block: Block, now_s: float) -> None:
        """A block is there, void or not; those whose turn it is are taken into account."""
        flight = self.flights.pop(block.number)
        self._used_s += now_s - flight.began_s
        if block.validity == Validity.VOID:
            self.counts[flight.site] -= 1
        self._early[block.number] = block
        while (settled := self._early.pop(self._settled, None)) is not None:
            self._settled += 1
            self.finished.add(settled)

    def _waits_for_rates(self, sites: Sequence[str]) -> bool:
        if len(sites) < 2 or not self.experiment.open_loop_shares or self.experiment.open_loop_rates:
            return False
        if self.finished.open_loop_rates is None and not self.in_flight and len(self.finished.valid) >= len(sites):
            self.finished.open_loop_rates = common_rates(self.finished.valid, self.experiment.open_loop_shares)
        return self.finished.open_loop_rates is None


def common_rates(blocks: Iterable[Block], shares: Sequence[float]) -> dict[float, float] | None:
    """Requests per second by share: of each block what its slowest arm gives, and of those the smallest.

    None if no block has an answer.
    """
    offered = [open_loop.offered_rates(map(throughput, block.arms), shares) for block in blocks]
    known = [rates for rates in offered if rates]
    return {share: min(rates[share] for rates in known) for share in shares} if known else None


class SiteState:
    """A site as the controller sees it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_idle = True
        self.void: list[Block] = []
        self.left: str | None = None

    def note(self, block: Block) -> None:
        """One of its blocks; with three void ones it leaves, whatever the reasons are."""
        if block.validity == Validity.VOID:
            self.void.append(block)
        if len(self.void) > VOID_AT_MOST and self.left is None:
            reasons = shorten_reasons([reason for block in self.void for reason in block.reasons])
            self.left = f"{len(self.void)} void blocks: {reasons}"


def seconds_of(
    course: FleetCourse, running: Sequence[FleetCourse], sites: int, seconds_left: float, now_s: float
) -> float:
    """Each site's time for an experiment, so that those running use time by their weights in the end."""
    used_s = sum(other.used_s(now_s) for other in running)
    weights = sum(other.experiment.weight for other in running)
    share_s = (sites * seconds_left + used_s) * course.experiment.weight / weights - course.used_s(now_s)
    return min(seconds_left, share_s / sites)


def by_need(running: Iterable[FleetCourse], site: str, now_s: float) -> list[FleetCourse]:
    """The experiments in the order in which the site should take them: what it, and then all, measured least."""
    return sorted(
        running,
        key=lambda course: (course.counts.get(site, 0), course.used_s(now_s) / course.experiment.weight),
    )


def void_block(plan: Plan, experiment: str, number: int, site: str, why: str, started_utc: str) -> Block:
    """In place of a block that did not arrive."""
    return Block(
        experiment=experiment,
        number=number,
        seed=block_seed(plan, experiment, number),
        started_utc=started_utc,
        elapsed_ns=0,
        slices_elapsed_ns=0,
        harness_cpu_ns=None,
        foreign_cpu_ns=None,
        steal_ns=None,
        validity=Validity.VOID,
        reasons=[Reason(ReasonKind.BROKE_OFF, text=why)],
        failures=[],
        site=site,
    )
