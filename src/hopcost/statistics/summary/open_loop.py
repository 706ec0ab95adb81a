"""What an arm did at an equal offered load: CPU per request, and response times where enough are there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from hopcost.plan.method import METHOD
from hopcost.record import histogram
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.offered_load import LoadFault, OpenLoad
from hopcost.record.histogram import Histogram
from hopcost.statistics.figures import BlockFigure, load_at, total
from hopcost.statistics.summary.cpu import cpu_per_request

QUANTILES = {"p50": 0.50, "p90": 0.90, "p99": 0.99, "p999": 0.999}


class OpenFigures(msgspec.Struct, frozen=True):
    """One arm at one offered load, over all valid blocks; None if a figure is not known.

    Response time runs from the intended start to the last byte. `answered` is answers ÷ due requests.
    """

    share: float
    rate_per_s: float
    answers: int
    answered: float | None
    cpu_ns_per_request: dict[str, int | None]
    response_time_ns: dict[str, int | None]


def open_figures_of_arm(parts: Sequence[ArmBlock]) -> list[OpenFigures]:
    """An arm's figures at each share of the slowest arm's capacity, in the plan's order."""
    shares = dict.fromkeys(load.share for part in parts for load in part.open_loop)
    return [_of_share(parts, share) for share in shares]


def _of_share(parts: Sequence[ArmBlock], share: float) -> OpenFigures:
    loads = _loads(parts, share)
    slices = [piece for load in loads for piece in load.slices]
    answers = sum(piece.answers for piece in slices)
    due = total(piece.due for piece in slices)
    cpu_ns = {hop: total(piece.cpu_ns.get(hop) for piece in slices) for hop in parts[0].hops}
    cpu_ns["generator"] = sum(piece.generator_cpu_ns for piece in slices)
    return OpenFigures(
        share=share,
        rate_per_s=loads[0].rate_per_s,
        answers=answers,
        answered=answers / due if due else None,
        cpu_ns_per_request=cpu_per_request(cpu_ns, answers),
        response_time_ns=_quantiles(loads),
    )


def _loads(parts: Sequence[ArmBlock], share: float) -> list[OpenLoad]:
    return [load for part in parts if (load := load_at(part, share)) is not None]


def rate_per_s(parts: Sequence[ArmBlock], share: float) -> float | None:
    """Requests per second offered to an arm at that share; None if it had no such load."""
    return next((load.rate_per_s for load in _loads(parts, share)), None)


def is_shown(parts: Sequence[ArmBlock], share: float, quantile: str) -> bool:
    """Whether there are enough samples beyond an arm's quantile, over all its blocks."""
    return _quantiles(_loads(parts, share))[quantile] is not None


def cpu_per_request_at(share: float, hop: str | None = None) -> BlockFigure:
    """CPU ns per correct answer at that share, of all hops or of one."""

    def figure(arm: ArmBlock) -> float | None:
        load = load_at(arm, share)
        if load is None:
            return None
        hops = arm.hops if hop is None else [hop]
        used = total(piece.cpu_ns.get(name) for piece in load.slices for name in hops)
        answers = sum(piece.answers for piece in load.slices)
        return used / answers if used is not None and answers else None

    name = "cpu_per_request" if hop is None else f"cpu_per_request:{hop}"
    return BlockFigure(f"{name}@{share}", figure, share)


def response_time_at(share: float, quantile: str) -> BlockFigure:
    """A quantile of response times in ns at that share, of a block or of one of its rounds.

    None with fewer than 20 samples beyond it.
    """

    def figure(arm: ArmBlock) -> float | None:
        load = load_at(arm, share)
        return None if load is None else _quantiles([load], METHOD.min_samples_beyond_in_block)[quantile]

    return BlockFigure(f"response_{quantile}@{share}", figure, share, scatters_by_factors=True)


def response_times(loads: Sequence[OpenLoad]) -> tuple[Histogram, Histogram]:
    """Response times of all answers, and the ages of requests never answered, over these loads; ns."""
    answered, waiting = _encoded(loads)
    return histogram.merge(answered), histogram.merge(waiting)


def _encoded(loads: Sequence[OpenLoad]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The histograms of answers and of unanswered requests, as the record has them."""
    every = [load.totals for load in loads]
    return (
        tuple(totals.response_time for totals in every if totals.response_time is not None),
        tuple(totals.response_unanswered for totals in every if totals.response_unanswered is not None),
    )


@lru_cache(maxsize=4096)
def _count_and_quantiles(
    answered: tuple[str, ...], waiting: tuple[str, ...]
) -> tuple[int, list[tuple[int, bool] | None]]:
    """How many requests, and QUANTILES of them. Kept: a slice is asked for both, beside each arm of its round."""
    both = histogram.merge(answered), histogram.merge(waiting)
    return sum(times.total for times in both), histogram.quantiles(*both, QUANTILES.values())


def _quantiles(loads: Sequence[OpenLoad], beyond: int = METHOD.min_samples_beyond) -> dict[str, int | None]:
    """Quantiles merged over these loads; None if fewer samples lie beyond one, or it is among unanswered requests."""
    count, quantiles = _count_and_quantiles(*_encoded(loads))
    return {
        name: value[0] if value is not None and value[1] and count * (1 - q) >= beyond else None
        for (name, q), value in zip(QUANTILES.items(), quantiles, strict=True)
    }


class VoidStarts(msgspec.Struct, frozen=True):
    """Of one offered load: `starts` had it, and it is void in those of the blocks `void` (from 0)."""

    share: float
    rate_per_s: float
    starts: int
    void: list[int]
    faults: list[LoadFault]


def void_starts(blocks: Sequence[Block]) -> list[VoidStarts]:
    """Of each load that is void in one of these blocks, which themselves count."""
    void = [(block, load) for block in blocks for load in block.void_loads]
    shares = sorted({load.share for _, load in void})
    return [
        VoidStarts(
            share=share,
            rate_per_s=next(load.rate_per_s for _, load in void if load.share == share),
            starts=sum(any(load.share == share for arm in block.arms for load in arm.open_loop) for block in blocks),
            void=[block.number for block, load in void if load.share == share],
            faults=[fault for _, load in void if load.share == share for fault in load.faults],
        )
        for share in shares
    ]
