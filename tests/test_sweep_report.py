"""Sweeps, repeats, soaks and what stands below a table, out of records made by hand."""

from __future__ import annotations

import json

import msgspec
import pytest
from factory import MS, block, part, plan_of, record, slice_of

from hopcost.planned import PlannedExperiment, Point
from hopcost.published import Protocol, Published
from hopcost.record import Block, MemorySample, PeerRun, Record, Repeat
from hopcost.report import json as json_report
from hopcost.report import markdown, table, text
from hopcost.soak_summary import Course
from hopcost.summary import summarise
from hopcost.turns import Turns


def planned(**more: object) -> PlannedExperiment:
    return msgspec.structs.replace(plan_of().experiments[0], **more)


def point(value: int, *published: Published) -> PlannedExperiment:
    name = f"cost@{value}"
    return planned(
        name=name, point=Point(experiment="cost", key="workload.connections", value=value), published=list(published)
    )


def at(value: int, behind: int, errors: dict[str, int] | None = None) -> Block:
    direct = part(slice_of("direct", 1000, cpu_ns={"app": 40 * MS}))
    proxied = part(slice_of("behind", behind, cpu_ns={"proxy": 50 * MS, "app": 20 * MS}, errors=errors))
    return msgspec.structs.replace(
        block(0, direct, proxied, part(slice_of("direct-aa", 1000))), experiment=f"cost@{value}"
    )


def sweep() -> Record:
    plan = msgspec.structs.replace(
        plan_of(),
        experiments=[
            point(
                10,
                Published(arm="direct", throughput_per_s=2000, cpu_percent=70),
                Published(arm="behind", throughput_per_s=500),
            ),
            point(
                1000,
                Published(arm="direct", throughput_per_s=1000, errors={"connect": 7}),
                Published(arm="behind", errored=True),
            ),
        ],
    )
    return record(at(10, 400), at(1000, 200, {"timeout": 3}), plan=plan)


def test_a_sweep_is_one_table_with_each_value_once() -> None:
    (made,) = table.tables(summarise(sweep()))
    assert made.title == "cost"
    assert made.header == [
        "connections", "arm", "answers/s", "ratio [95%]", "verdict", "CPU µs", "CPU %", "errors",
        "article's requests/s", "its ratio", "its CPU %", "its errors",
    ]  # fmt: skip
    # behind: 50 + 20 ms of 100 ms on one core is 70 %, for 400 answers 175 µs each, for 200 350 µs.
    assert made.rows == [
        ["10", "direct", "10,000", "1 (baseline)", "–", "40.0", "40", "0", "2,000", "1.00", "70", "0"],
        ["", "behind", "4,000", "0.400 [no interval]", "unknown", "175.0", "70", "0", "500", "0.25", "–", "0"],
        ["1000", "direct", "10,000", "1 (baseline)", "–", "40.0", "40", "0", "1,000", "1.00", "–", "7 connect"],
        ["", "behind", "2,000", "0.200 [no interval]", "unknown", "350.0", "70", "3 timeout", "–", "–", "–", "error"],
    ]


def test_what_holds_at_one_value_says_so() -> None:
    (made,) = table.tables(summarise(sweep()))
    assert "at 1000: behind had errors: its ratio counts correct answers only" in made.below
    assert "every arm answers with 141 header bytes and 12 body bytes" in made.below
    assert any("10: 1.000 [no interval]; 1000: 1.000 [no interval]" in line for line in made.below)


def test_a_value_without_any_arm_keeps_its_row() -> None:
    content = sweep()
    (made,) = table.tables(summarise(msgspec.structs.replace(content, blocks=content.blocks[:1])))
    assert made.rows[-1][:3] == ["1000", "no result", "–"]


def test_json_keeps_an_entry_for_each_point() -> None:
    experiments = json.loads(json_report.render(sweep(), summarise(sweep())))["experiments"]
    assert [each["point"]["value"] for each in experiments] == [10, 1000]
    assert experiments[0]["arms"][1]["cpu_percent"] == pytest.approx(70)


def test_a_sweep_fits_into_120_columns() -> None:
    lines = text.render(sweep(), summarise(sweep()), width=120).splitlines()
    assert any(line.strip().startswith("1000") and line.endswith("7 connect") for line in lines)
    assert max(map(len, lines)) <= 120
    assert "| 1000 | direct |" in markdown.render(sweep(), summarise(sweep()))


# Turns, peers


def test_turns_and_notes_are_said() -> None:
    content = plan_of()
    plan = msgspec.structs.replace(
        content, experiments=[planned(turns=Turns.WHOLE, slice_ns=10_000 * MS, connections_asked=5000)]
    )
    first, second = at(0, 400), at(0, 400)
    for each in (first, second):
        each.experiment = "cost"
        each.arms[1].notes = ["vm.min_free_kbytes: the host's"]
    (made,) = table.tables(summarise(record(first, second, plan=plan)))
    assert "note: behind: vm.min_free_kbytes: the host's" in made.below
    assert "run with 32 connections, 5000 asked for" in made.below
    assert any(line.startswith("whole slices: one arm alive at a time, each in runs of 10 s") for line in made.below)


def test_a_sweep_marks_a_throughput_that_is_a_lower_bound_too() -> None:
    full = at(64, 500)
    for each in full.arms:
        each.slices = [msgspec.structs.replace(one, generator_cpu_ns=one.elapsed_ns) for one in each.slices]
    (made,) = table.tables(summarise(record(full, plan=msgspec.structs.replace(plan_of(), experiments=[point(64)]))))
    answers = [row[made.header.index("answers/s")] for row in made.rows]
    assert answers and all(each.startswith("≥ ") for each in answers)


def peer_run(answers: int, errors: dict[str, int] | None = None) -> PeerRun:
    return PeerRun(
        peer="wrk", version="4.1.0", command=["wrk"], answers=answers, errors=errors or {}, elapsed_ns=1000 * MS,
        wall_ns=1000 * MS, generator_cpu_ns=0, cpu_ns={"app": 500 * MS}, throughput_per_s=None, latency_ms={},
        output="",
    )  # fmt: skip


def test_a_peer_is_named_and_its_counts_are_its_own() -> None:
    each = block(0, part(slice_of("direct", 1)), part(slice_of("direct-aa", 1)))
    for arm in each.arms:
        arm.slices, arm.totals, arm.warm_up, arm.peer = [], None, None, peer_run(3000, {"odd": 4})
    (made,) = table.tables(summarise(record(each)))
    assert any("wrk 4.1.0 drove the arms in place of hopcost's engine: counts" in line for line in made.below)
    row = dict(zip(made.header, made.rows[0], strict=True))
    assert (row["answers/s"], row["errors"]) == ("3,000", "4 odd")
    assert not any(line.startswith("p50") for line in made.below)


# Repeats


def repeat(arm: str, number: int, run: PeerRun | None, failure: str | None = None) -> Repeat:
    return Repeat(
        experiment="cost", arm=arm, number=number, connections=64, requests=None, duration_s=1, run=run, failure=failure
    )


def test_repeats_have_a_mean_a_spread_and_no_verdict() -> None:
    plan = msgspec.structs.replace(
        plan_of(), experiments=[planned(as_published=Protocol(peer="wrk", duration_s=30, repeats=2, connections=5000))]
    )
    repeats = [
        repeat("direct", 0, peer_run(1000)),
        repeat("direct", 1, peer_run(3000)),
        repeat("behind", 0, peer_run(500, {"timeout": 661})),
        repeat("behind", 1, None, "wrk: connection refused"),
    ]
    content = record(plan=plan, repeats=repeats)
    (made,) = table.tables(summarise(content))
    assert made.rows == [
        ["direct", "1,000, 3,000", "2,000", "1,000–3,000", "1.00", "0", "50", "40,000", "1.00", "0"],
        ["behind", "500", "500", "–", "0.25", "661 timeout", "50", "10,000", "0.25", "661 timeout, 2 write"],
    ]
    assert "nothing is interleaved" in made.below[0] and "no A/A" in made.below[0]
    assert "failed: behind: wrk: connection refused" in made.below
    assert (
        "every arm: wrk 4.1.0, 64 connections, 1 s a repeat; published: 5000 connections, 30 s, 2 times" in made.below
    )
    assert "1,000, 3,000" in text.render(content, summarise(content))


def test_what_all_values_of_repeats_share_is_said_once() -> None:
    protocol = Protocol(peer="wrk", duration_s=30, repeats=1, connections=5000)
    points = [msgspec.structs.replace(point(value), as_published=protocol, notes=["n"]) for value in (10, 1000)]
    ran = [repeat("direct", 0, peer_run(1000)), repeat("direct", 0, None, "refused")]
    for each, experiment in zip(ran, points, strict=True):
        each.experiment = experiment.name
    content = record(plan=msgspec.structs.replace(plan_of(), experiments=points), repeats=ran)
    (made,) = table.tables(summarise(content))
    assert "note: n" in made.below
    assert "at 1000: failed: direct: refused" in made.below
    how = "64 connections, 1 s a repeat; published: 5000 connections, 30 s, once"
    assert f"at 10: direct: wrk 4.1.0, {how}" in made.below


# A soak


def soak_block(number: int, behind: int, memory: int) -> Block:
    slices = [slice_of("direct", 1000), slice_of("behind", behind), slice_of("direct-aa", 1000)]
    for each in slices:
        each.start_ns = number * 1200 * 1_000_000_000
    made = block(number, *[part(each, service_time_ns=(1_000_000,) * 9) for each in slices])
    made.arms[1].memory_samples = [MemorySample(elapsed_ns=number * 1200 * 1_000_000_000, resident_bytes=memory)]
    return made


def soak_courses(*blocks: Block) -> dict[tuple[str, str], Course]:
    plan = msgspec.structs.replace(plan_of(), experiments=[planned(turns=Turns.SOAK, soak_s=3600.0)])
    (found,) = summarise(record(*blocks, plan=plan))
    return {(each.figure, each.arm): each for each in found.soak}


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
    void = msgspec.structs.replace(soak_block(2, 1, 2**30), validity="void")
    assert soak_courses(*blocks[:2], void, *blocks[2:]) == soak_courses(*blocks)
    assert soak_courses(*blocks[:3])["ratio", "behind"].word == "unknown", "three points are no slope"


def test_a_soak_in_lines() -> None:
    plan = msgspec.structs.replace(plan_of(), experiments=[planned(turns=Turns.SOAK, soak_s=3600.0)])
    blocks = [soak_block(each, 400, round(2**20 * 2 ** (each / 3))) for each in range(4)]
    (made,) = table.tables(summarise(record(*blocks, plan=plan)))
    (line,) = [line for line in made.below if "memory (resident): drifts" in line]
    assert line.startswith("soak: behind: memory (resident): drifts; 1.0 MiB → 2.0 MiB (4 parts), +100.0% [")
    assert line.endswith("per hour")


def test_another_experiment_has_no_drift() -> None:
    (found,) = summarise(record(soak_block(0, 400, 1)))
    assert found.soak == []
