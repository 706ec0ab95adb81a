"""What stands below a table beside verdicts that are not settled."""

from __future__ import annotations

import msgspec
import pytest
from known import known
from samples.comparisons import RATE_PER_S, six_blocks, summary

from hopcost.report.notes.verdicts import verdict_lines
from hopcost.statistics.precision.precision import Settling


def test_what_is_not_settled_says_what_an_answer_takes_but_not_for_single_hops() -> None:
    experiment = summary(six_blocks(behind=1.0, noise=0.1))
    (behind,) = [arm for arm in experiment.arms if arm.name == "behind"]
    settling = Settling(half_width=0.07, target=0.02, starts=40, seconds=610.0)
    throughput = known(behind.comparison("throughput"))
    figures = [("throughput", None), ("cpu_per_request:app", None), ("response_p50", RATE_PER_S)]
    behind = msgspec.structs.replace(
        behind,
        comparisons=[
            msgspec.structs.replace(throughput, figure=figure, load_per_s=load, to_settle=settling)
            for figure, load in figures
        ],
    )
    lines = verdict_lines(msgspec.structs.replace(experiment, arms=[behind]))
    assert [line for line in lines if "not settled" in line] == [
        "behind: not settled on throughput: ±7 % now, ±2 % in about 10 min",
        "behind: not settled on median response time at 5,000/s: ±7 % now, ±2 % in about 10 min",
    ]


@pytest.mark.parametrize(("behind", "lines"), [(0.5, 0), (1.0, 1)])
def test_only_what_is_not_settled_has_such_a_line(behind: float, lines: int) -> None:
    experiment = summary(six_blocks(behind=behind, noise=0.1, open_loop=False))
    assert sum("not settled on throughput" in line for line in verdict_lines(experiment)) == lines
