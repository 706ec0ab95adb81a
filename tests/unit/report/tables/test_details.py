"""What `--details` has, part by part, and that a part without content is not there."""

from __future__ import annotations

import msgspec
from known import known
from samples.blocks import MS, block, histogram, part, plain_block, slice_of
from samples.comparisons import six_blocks
from samples.records import plan_of, record
from samples.reports import everything, rendered
from samples.sweeps import at, details_of, notes_of, peer_run, plan_with, planned, point, sweep, table_of

from hopcost.plan.turns import Turns
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.run import Ending, Record, Run, StopReason
from hopcost.report import Part
from hopcost.report.formats import text
from hopcost.report.record_report import document
from hopcost.statistics.summary.summary import summarise


def test_every_part_of_a_record_that_has_everything() -> None:
    assert list(details_of(everything())) == [
        Part.VERDICTS,
        Part.CPU,
        Part.LOAD,
        Part.STARTS,
        Part.NOISE,
        Part.PUBLISHED,
    ]


def row(content: Record, part: Part, name: str) -> dict[str, str]:
    table = known(table_of(content, part))
    (cells,) = [cells for cells in table.rows if name in cells]
    return dict(zip(table.header, cells, strict=True))


def test_a_row_of_verdicts() -> None:
    cells = known(table_of(everything(), Part.VERDICTS)).rows[1]
    assert (cells[0], cells[1], cells[3]) == ("behind", "4,200", "none")
    # 0.398010, 0.440000, 0.420000 to means of 1005, 1000 and 995 answers: the logs' mean gives 0.4199.
    assert cells[2].startswith("0.420 (0.362–")
    assert cells[-1] == "3,600 status, 6 timeout"


def test_the_baseline_is_one() -> None:
    cells = known(table_of(everything(), Part.VERDICTS)).rows[0]
    assert (cells[0], cells[2], cells[3]) == ("direct", "1", "–")


def test_cpu_has_a_row_for_each_hop() -> None:
    table = known(table_of(everything(), Part.CPU))
    assert [cells[:3] for cells in table.rows[1:3]] == [["behind", "proxy", "119.0"], ["", "app", "47.6"]]


def test_a_sweep_has_each_value_once_and_no_column_for_a_stack() -> None:
    table = known(table_of(sweep(), Part.VERDICTS))
    assert table.header[:3] == ["connections", "stack", "req/s"]
    assert [cells[:3] for cells in table.rows] == [
        ["10", "direct", "10,000"],
        ["", "behind", "4,000"],
        ["1000", "direct", "10,000"],
        ["", "behind", "2,000"],
    ]
    published = known(table_of(sweep(), Part.PUBLISHED))
    # behind: 50 + 20 ms of 100 ms on one core is 70 %.
    assert [cells[-1] for cells in published.rows] == ["40", "70", "40", "70"]
    errors = published.header.index("its errors")
    assert [cells[errors] for cells in published.rows] == ["0", "0", "7 connect", "error"]


def test_what_holds_at_one_value_says_so() -> None:
    lines = notes_of(sweep())
    assert "at 1000: behind had errors: its ratio counts correct answers only" in lines
    assert "every stack answers with 141 header bytes and 12 body bytes" in lines


def test_turns_and_notes_are_said() -> None:
    plan = plan_with(planned(turns=Turns.WHOLE, slice_ns=10_000 * MS, connections_asked=5000))
    first, second = at(0, 400), at(0, 400)
    for start in (first, second):
        start.experiment = "cost"
        start.arms[1].notes = ["vm.min_free_kbytes: the host's"]
    lines = notes_of(record(first, second, plan=plan))
    assert "note: behind: vm.min_free_kbytes: the host's" in lines
    assert "run with 32 connections, 5000 asked for" in lines
    assert any(line.startswith("one stack at a time, in runs of 10 s") for line in lines)


def test_a_throughput_that_is_a_lower_bound_is_marked() -> None:
    full = at(64, 500)
    for arm in full.arms:
        arm.slices = [msgspec.structs.replace(piece, generator_cpu_ns=piece.elapsed_ns) for piece in arm.slices]
    table = known(table_of(record(full, plan=plan_with(point(64))), Part.VERDICTS))
    assert table.rows and all(cells[2].startswith("≥ ") for cells in table.rows)


def test_a_peer_is_named_and_its_counts_are_its_own() -> None:
    start = block(0, part(slice_of("direct", 1)), part(slice_of("direct-aa", 1)))
    for arm in start.arms:
        arm.slices, arm.totals, arm.warm_up, arm.peer = [], None, None, peer_run(3000, {"odd": 4})
    content = record(start)
    assert any("wrk 4.1.0 drove the stacks in place of hopcost's engine: counts" in line for line in notes_of(content))
    cells = known(table_of(content, Part.VERDICTS)).rows[0]
    assert (cells[1], cells[-1]) == ("3,000", "4 odd")
    assert table_of(content, Part.LOAD, "service time at full load") is None


def test_without_published_figures_there_is_no_table_of_them() -> None:
    plan = plan_of()
    (experiment,) = plan.experiments
    plan = msgspec.structs.replace(plan, experiments=[msgspec.structs.replace(experiment, published=[], control=None)])
    assert Part.PUBLISHED not in details_of(record(plain_block(0), plan=plan))


def test_the_width_reached_is_the_widest_of_all_stacks() -> None:
    content = record(plain_block(0), plain_block(1, behind=440))
    assert "2 starts; widest range ±40.2 %; stopped: all 6 blocks are done" in notes_of(content)
    assert "1 start; stopped: all 6 blocks are done" in notes_of(record(plain_block(0)))


def ended(why: StopReason, detail: str) -> Run:
    endings = [Ending(experiment="cost", why=why, detail=detail)]
    return Run(format=1, hopcost="0.1.0", command=[], started_utc="", ended_utc="", endings=endings)


def test_an_experiment_that_failed_says_why_even_without_arms() -> None:
    """The baseline failed at once: there is no row, and the reason is all there is."""
    void = block(0, validity=Validity.VOID, reasons=("the baseline direct failed: no",))
    content = record(void, run=ended(StopReason.FAILED, "the baseline failed"))
    assert notes_of(content) == ["no result: the baseline failed", "void: start 1: the baseline direct failed: no"]
    assert "No result: the baseline failed." in rendered("txt", content)


def test_p99_is_explained_once_and_the_legend_has_the_words_that_are_used() -> None:
    content = record(*six_blocks(0.5, 0.0005), plan=plan_of(quick=False))
    shown = text.text(document(content, summarise(content), list(Part)))
    words = " ".join(shown.split())
    assert words.count("p99 has no verdict: that a range of p99 holds the truth is not shown yet") == 1
    assert "no verdict on p99" not in words
    assert "slower, dearer: the range excludes 1; dearer needs more CPU per request, cheaper less" in words
    assert not any(word in words for word in ("negligible", "size open", "same:"))
    assert "at a low load a request costs more: the server wakes up for each" in words


def test_a_column_without_a_figure_is_left_out() -> None:
    blocks = six_blocks(0.5, 0.0005)
    for start in blocks:
        for arm in start.arms:
            for load in arm.open_loop:
                few = histogram(*[300_000] * 900)
                load.totals = msgspec.structs.replace(load.totals, response_time=few)
    table = known(table_of(record(*blocks, plan=plan_of(quick=False)), Part.LOAD, "at equal offered load"))
    assert "median ratio" in table.header and not any("p99" in name for name in table.header)
    assert any(line.startswith("no p99: ") for line in table.below)
