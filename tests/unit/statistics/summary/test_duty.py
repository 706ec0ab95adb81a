"""For how much of the time load was counted, by hand."""

from __future__ import annotations

import msgspec
import pytest
from samples.comparisons import six_blocks, summary

from hopcost.programs.generators.engine_lines import Validity
from hopcost.statistics.summary.duty import counted_share


def test_slices_of_both_loops_count_and_all_else_is_time() -> None:
    # Each block: three slices of 0.1 s at saturation, then three of 1 s in the open loop; 10 s in all.
    blocks = [msgspec.structs.replace(block, elapsed_ns=10 * 10**9) for block in six_blocks()]
    assert counted_share(blocks) == pytest.approx(3.3 / 10)
    assert summary(blocks).duty == counted_share(blocks)
    closed = [msgspec.structs.replace(block, elapsed_ns=10**9) for block in six_blocks(open_loop=False)]
    assert counted_share(closed) == pytest.approx(0.3)


def test_a_void_block_is_time_without_load_that_counts() -> None:
    first, second, *_ = (msgspec.structs.replace(block, elapsed_ns=10**9) for block in six_blocks(open_loop=False))
    second = msgspec.structs.replace(second, validity=Validity.VOID)
    assert counted_share([first, second]) == pytest.approx(0.15)


def test_without_blocks_it_is_unknown() -> None:
    assert counted_share([]) is None
