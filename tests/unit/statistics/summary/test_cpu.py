"""CPU time per request, by hop and together, and what is not known of it."""

from __future__ import annotations

import pytest
from known import known
from samples.blocks import MS, block, part, slice_of
from samples.comparisons import arm_of, direct, two_blocks

from hopcost.record.contents.block import ArmBlock
from hopcost.statistics.figures import cpu_per_request


def test_cpu_per_request_is_by_hop_over_all_blocks() -> None:
    # proxy (8.8 + 15) ms ÷ 1440 = 16,528 ns; app (4.4 + 10) ms ÷ 1440 = 10,000 ns; generator 7.2 ms ÷ 1440 = 5,000 ns.
    behind = arm_of("behind", *two_blocks()).cpu_ns_per_request
    assert behind == {"proxy": 16_528, "app": 10_000, "generator": 5_000}
    assert list(behind) == ["proxy", "app", "generator"], "from the client's side to the origin"
    # direct: (6 + 4 + 20) ms ÷ 3000 = 10,000 ns; its generator (2 + 4) ms ÷ 3000 = 2,000 ns.
    assert arm_of("direct", *two_blocks()).cpu_ns_per_request == {"app": 10_000, "generator": 2_000}


def test_the_ratio_of_cpu_is_of_all_hops_together() -> None:
    # Block 0: 13.2 ms ÷ 440 = 30,000 ns to mean(10,000, 12,000): 2.727273. Block 1: 25,000 to 10,000: 2.5.
    # √(2.727273 × 2.5) = 2.611165.
    ratio = known(arm_of("behind", *two_blocks()).cpu_ratio)
    assert ratio.value == pytest.approx(2.611165, rel=1e-6)


def test_cpu_per_request_of_a_block() -> None:
    assert cpu_per_request(two_blocks()[0].arms[1]) == pytest.approx(30_000)
    assert cpu_per_request(part(slice_of("direct", 0, cpu_ns={"app": MS}))) is None


def test_cpu_outside_the_slices_is_a_share_of_that_inside() -> None:
    # (0.300 + 0.082) ms outside ÷ (13.2 + 25) ms inside = 0.01.
    assert arm_of("behind", *two_blocks()).cpu_outside == pytest.approx(0.01)
    assert arm_of("direct", *two_blocks()).cpu_outside == 0.0


def gone(cpu_ns: dict[str, int | None], outside: int | None = 0, arm: str = "behind") -> ArmBlock:
    """An arm's part in whose second slice a process's clock could not be read."""
    lost = slice_of(arm, 100, cpu_ns=cpu_ns)
    lost.cpu_outside_ns = dict.fromkeys(cpu_ns, outside)
    return part(slice_of(arm, 100, cpu_ns=dict.fromkeys(cpu_ns, MS)), lost)


def test_part_of_a_cpu_time_is_no_cpu_time() -> None:
    lost = block(0, direct(1000, 10), gone({"proxy": None, "app": MS}), direct(1000, 10, "direct-aa"))
    behind = arm_of("behind", lost)
    assert behind.cpu_ns_per_request == {"proxy": None, "app": 10_000, "generator": 0}
    assert (behind.cpu_ratio, behind.cpu_outside) == (None, None)
    assert behind.ratio is not None, "its answers are known"


def test_an_unknown_share_outside_is_not_none_outside() -> None:
    lost = block(0, direct(1000, 10), gone({"proxy": MS, "app": MS}, outside=None))
    assert arm_of("behind", lost).cpu_outside is None


@pytest.mark.parametrize("lost", ["direct", "direct-aa"])
def test_a_baselines_run_without_cpu_time_is_no_reference(lost: str) -> None:
    """Taken as 0 it would halve the mean, and double every ratio."""
    runs = {name: direct(1000, 10, name) for name in ("direct", "direct-aa")} | {lost: gone({"app": None}, arm=lost)}
    behind = part(slice_of("behind", 400, cpu_ns={"proxy": MS, "app": MS}))
    stack = arm_of("behind", block(0, runs["direct"], behind, runs["direct-aa"]))
    assert stack.cpu_ratio is None
    assert stack.ratio is not None
