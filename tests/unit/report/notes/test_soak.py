"""What a soak's lines say of drifts."""

from __future__ import annotations

import msgspec
import pytest
from known import known
from samples.records import record
from samples.sweeps import notes_of, soak_block, soak_courses, soak_plan

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.report.brief.forms.soak import soak_cautions
from hopcost.statistics.summary.summary import summarise


def doubling(number: int) -> Block:
    """Memory doubles in an hour, while the ratio stays."""
    return soak_block(number, 400, round(2**20 * 2 ** (number / 3)))


def line_of(blocks: list[Block], figure: str, arm: str = "behind") -> str:
    """The line of one figure, without its beginning."""
    start = f"{arm}: {figure}: "
    (line,) = [line for line in notes_of(record(*blocks, plan=soak_plan())) if line.startswith(start)]
    return line.removeprefix(start)


def test_a_soak_whose_memory_doubles_while_its_ratio_stays() -> None:
    courses = soak_courses(*map(doubling, range(4)))
    memory = courses["memory_bytes", "behind"]
    assert (memory.word, known(memory.drift).per_hour) == ("drifts", pytest.approx(2, rel=1e-5))
    assert courses["ratio", "behind"].word == "same"
    assert courses["ratio", "behind"].first == pytest.approx(0.4)
    assert courses["service_time_p50_ns", "behind"].word == "same"
    assert courses["memory_bytes", "direct"].word == "not measured", "nobody read it"


def test_void_segments_of_a_soak_do_not_count() -> None:
    blocks = [soak_block(number, 400, 2**20) for number in range(5)]
    void = msgspec.structs.replace(soak_block(2, 1, 2**30), validity=Validity.VOID)
    assert soak_courses(*blocks[:2], void, *blocks[2:]) == soak_courses(*blocks)


def test_a_drift_in_a_line() -> None:
    blocks = [doubling(number) for number in range(4)]
    line = line_of(blocks, "memory")
    assert line.startswith("drifts (4 parts); +100 %") and line.endswith(" per hour")
    assert line_of(blocks, "memory", "direct") == "not measured"
    assert line_of(blocks, "throughput beside the baseline").startswith("same (4 parts); ")


def test_what_is_not_settled_says_why_and_what_would_settle_it() -> None:
    three = [soak_block(number, 400, 2**20) for number in range(3)]
    expected = "not settled (3 parts); a slope needs 4: more --soak-length"
    assert line_of(three, "throughput beside the baseline") == expected
    restless = [soak_block(number, 400 + 4 * (number % 2), 2**20) for number in range(4)]
    line = line_of(restless, "throughput beside the baseline")
    assert line.startswith("not settled (4 parts); +") and line.endswith(" would settle it")


def test_nobody_is_told_to_soak_for_longer_than_a_day() -> None:
    restless = [soak_block(number, throughput, 2**20) for number, throughput in enumerate((400, 500, 500, 400))]
    assert line_of(restless, "throughput beside the baseline").endswith("; a soak of a day would not settle it")
    (experiment,) = summarise(record(*restless, plan=soak_plan()))
    assert "? not settled: a soak of a day would not settle all of it" in soak_cautions(experiment)


def test_another_experiment_has_no_drift() -> None:
    (experiment,) = summarise(record(soak_block(0, 400, 1)))
    assert experiment.soak == []


def test_what_is_measured_one_after_another_in_a_soak_is_no_start() -> None:
    uneven = [soak_block(number, 400 + 20 * (number % 2), 2**20) for number in range(4)]
    content = record(*uneven, plan=soak_plan())
    lines = notes_of(content)
    assert any(line.startswith("4 segments; ") for line in lines)
    assert not any("starts" in line for line in lines)
    comparisons = [comparison for arm in summarise(content)[0].arms for comparison in arm.comparisons]
    assert comparisons and all(comparison.restart_spread is None for comparison in comparisons)
