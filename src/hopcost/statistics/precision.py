"""How long until an answer is precise enough: the spread seen so far, and the blocks and rounds that it takes.

A block's log-ratio varies with the restart (between blocks) and with the slices (within a block): its variance is
between + within ÷ rounds. Pure functions of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from scipy.special import stdtrit


class Variances(msgspec.Struct, frozen=True):
    """Variances of a log-ratio: `within` of one round's, `between` of blocks' means beyond what rounds explain."""

    within: float
    between: float

    def of_block(self, rounds: int) -> float:
        """The variance of a block's log-ratio over that many rounds."""
        return self.between + self.within / rounds


class Forecast(msgspec.Struct, frozen=True):
    """Up to how many blocks, rounds of each to come, the half-width expected then, and the time until then."""

    blocks: int
    rounds: int
    half_width: float
    seconds: float


def spread(blocks: Sequence[Sequence[float]]) -> Variances | None:
    """The variances out of log-ratios by block and round (at least two rounds each); None where there are too few.

    One-way random effects by the method of moments (Searle, Casella, McCulloch: Variance Components, 3.6). A between
    variance that comes out negative is 0. With a single block `between` is not known and taken as 0.
    """
    if not blocks or any(len(rounds) < 2 for rounds in blocks):
        return None
    counts = np.array([len(rounds) for rounds in blocks], dtype=float)
    means = np.array([np.mean(rounds) for rounds in blocks])
    squares = sum(float(np.sum((np.asarray(rounds) - mean) ** 2)) for rounds, mean in zip(blocks, means, strict=True))
    within = squares / float(np.sum(counts - 1))
    if len(blocks) < 2:
        return Variances(within=within, between=0.0)
    grand = float(np.sum(counts * means) / counts.sum())
    mean_square_between = float(np.sum(counts * (means - grand) ** 2)) / (len(blocks) - 1)
    typical = float(counts.sum() - np.sum(counts**2) / counts.sum()) / (len(blocks) - 1)
    return Variances(within=within, between=max(0.0, (mean_square_between - within) / typical))


def half_width(seen: Variances, blocks: int, rounds: int, error: float) -> float:
    """The half-width, on the scale of logarithms, that so many blocks are expected to give (Student's t)."""
    return float(stdtrit(blocks - 1, 1 - error / 2)) * math.sqrt(seen.of_block(rounds) / blocks)


def forecast(
    seen: Variances,
    *,
    done: int,
    target: float,
    looks: Sequence[int],
    error: float,
    error_left: Callable[[int], float],
    seconds: float,
    overhead_s: float,
    round_s: float,
    rounds_at_least: int,
    rounds_at_most: int,
) -> Forecast | None:
    """How long the next blocks should be: the quickest way to a half-width of `target`, else the narrowest in time.

    `done` blocks are there already. `error` is the significance level of one look, `error_left(n)` the level still
    unspent if the time ends the run after n blocks. `overhead_s` is what a block costs besides its rounds, `seconds`
    the time left. None if the time holds none of the looks to come.
    """
    ways, reaching = [], []
    for blocks in looks:
        if blocks <= done:
            continue
        fitting = min(rounds_at_most, int((seconds / (blocks - done) - overhead_s) / round_s + 1e-9))
        if fitting < rounds_at_least:
            continue
        reach = float(stdtrit(blocks - 1, 1 - error / 2))
        allowed = blocks * (target / reach) ** 2 - seen.between  # what rounds must bring the within part below
        wanted = math.ceil(seen.within / allowed - 1e-9) if allowed > 0 else fitting
        rounds = min(fitting, max(rounds_at_least, wanted))
        way = Forecast(
            blocks=blocks,
            rounds=rounds,
            half_width=half_width(seen, blocks, rounds, error),
            seconds=(blocks - done) * (overhead_s + rounds * round_s),
        )
        if way.half_width <= target * (1 + 1e-9):
            reaching.append(way)
        else:
            at_end = half_width(seen, blocks, rounds, error_left(blocks))
            ways.append(msgspec.structs.replace(way, half_width=at_end))
    if reaching:
        return min(reaching, key=lambda way: (way.seconds, way.blocks))
    return min(ways, key=lambda way: (way.half_width, way.seconds), default=None)
