"""What a soak's lines say of drifts."""

from __future__ import annotations

import msgspec
import pytest
from samples.records import record
from samples.sweeps import notes_of, soak_block, soak_courses, soak_plan

from hopcost.generators.engine_protocol import Validity
from hopcost.statistics.summary.summary import summarise


def test_a_soak_whose_memory_doubles_while_its_ratio_stays() -> None:
    courses = soak_courses(*[soak_block(each, 400, round(2**20 * 2 ** (each / 3))) for each in range(4)])
    memory = courses["memory_bytes", "behind"]
    assert memory.drift is not None
    assert (memory.word, memory.drift.per_hour) == ("drifts", pytest.approx(2, rel=1e-5))
    assert courses["ratio", "behind"].word == "no drift seen"
    assert courses["ratio", "behind"].first == pytest.approx(0.4)
    assert courses["service_time_p50_ns", "behind"].word == "no drift seen"
    assert courses["memory_bytes", "direct"].word == "unknown", "nobody read it"


def test_void_segments_of_a_soak_do_not_count() -> None:
    blocks = [soak_block(each, 400, 2**20) for each in range(5)]
    void = msgspec.structs.replace(soak_block(2, 1, 2**30), validity=Validity.VOID)
    assert soak_courses(*blocks[:2], void, *blocks[2:]) == soak_courses(*blocks)
    assert soak_courses(*blocks[:3])["ratio", "behind"].word == "unknown", "three points are no slope"


def test_a_soak_in_lines() -> None:
    plan = soak_plan()
    blocks = [soak_block(each, 400, round(2**20 * 2 ** (each / 3))) for each in range(4)]
    lines = notes_of(record(*blocks, plan=plan))
    (line,) = [line for line in lines if "memory: drifts" in line]
    assert line.startswith("behind: memory: drifts (4 parts); +100 % (")
    assert line.endswith("per hour")


def test_another_experiment_has_no_drift() -> None:
    (found,) = summarise(record(soak_block(0, 400, 1)))
    assert found.soak == []
