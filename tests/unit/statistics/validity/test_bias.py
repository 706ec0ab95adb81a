"""When the baseline's second run convicts a figure, and when the run."""

from __future__ import annotations

import msgspec
from known import known
from samples.comparisons import six_blocks
from samples.records import plan_of

from hopcost.statistics.arms import RecordBlocks
from hopcost.statistics.figures import throughput
from hopcost.statistics.validity import bias

(EXPERIMENT,) = plan_of().experiments


def record(*second_runs: float, noise: float = 0.002) -> RecordBlocks:
    """An experiment of six blocks for each ratio of second to first run."""
    experiments, blocks = [], []
    for number, again in enumerate(second_runs):
        name = f"e{number}"
        experiments.append(msgspec.structs.replace(EXPERIMENT, name=name))
        blocks += [msgspec.structs.replace(block, experiment=name) for block in six_blocks(noise=noise, again=again)]
    return RecordBlocks(experiments, blocks)


def convicted(record: RecordBlocks, experiment: str) -> str | None:
    return bias.why_figure_is_convicted(record.experiments[experiment], throughput, len(record.experiments))


def test_one_experiment_convicts_its_own_figure_and_not_the_run() -> None:
    content = record(1.2, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    assert known(convicted(content, "e0")).startswith("direct differs from itself here: 1.2")
    assert convicted(content, "e1") is None
    assert bias.why_run_is_convicted(content) is None


def test_the_mean_of_all_experiments_convicts_the_run_where_none_does_by_itself() -> None:
    content = record(*[1.06] * 8, noise=0.005)
    assert convicted(content, "e0") is None
    assert "in throughput and CPU per request, over all experiments" in known(bias.why_run_is_convicted(content))


def test_a_difference_inside_the_margin_convicts_nobody() -> None:
    content = record(*[1.005] * 8, noise=0.0)
    assert bias.why_run_is_convicted(content) is None and convicted(content, "e0") is None


def test_the_mean_is_start_by_start_over_the_experiments_that_have_it() -> None:
    floor = known(bias.mean_floor(record(1.1, 1.0, noise=0.0), throughput, 0.01))
    assert abs(floor.value - (1.1 * 1.0) ** 0.5) < 1e-6


def test_one_start_judges_nothing() -> None:
    pair = RecordBlocks([EXPERIMENT], six_blocks(again=2.0)[:1])
    assert not bias.can_be_judged(pair) and bias.why_run_is_convicted(pair) is None
    assert bias.why_figure_is_convicted(pair.experiments["cost"], throughput, 1) is None
    assert bias.can_be_judged(RecordBlocks([EXPERIMENT], six_blocks()[:2]))
