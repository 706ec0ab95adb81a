"""Every block has a seed of its own, which comes again with the run's."""

from __future__ import annotations

from samples.plans import make

from hopcost.measure.blocks.sizing import block_seed


def test_seeds_of_blocks_come_again_with_the_runs_seed() -> None:
    one, again = make(seed=1), make(seed=1)
    assert block_seed(one, "first", 3) == block_seed(again, "first", 3)


def test_seeds_of_blocks_stay_what_they_are() -> None:
    """A record's order can be made again years later: this value may never change."""
    assert block_seed(make(seed=1), "first", 0) == 6183409990843430901


def test_every_block_has_its_own_seed() -> None:
    runs = [make(seed=seed) for seed in (1, 2, 11)]
    seeds = [block_seed(run, name, block) for run in runs for name in ("first", "second") for block in range(24)]
    assert len(set(seeds)) == 3 * 2 * 24


def test_seeds_fit_the_engines_numbers() -> None:
    seeds = [block_seed(make(seed=2**32 - 1), "first", block) for block in range(100)]
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert max(seeds) > 2**62
