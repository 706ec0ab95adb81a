"""What a hop costs and what it buys: a row for each figure, a column for each stack or each value of a sweep."""

from __future__ import annotations

import msgspec
import pytest
from samples.pages import loaded, swept
from samples.records import plan_of, record
from samples.reports import rendered

from hopcost.plan.plan import Point
from hopcost.record.contents.evidence import Memory
from hopcost.record.contents.run import Record
from hopcost.report.brief.forms.worth import BELOW, worth_sentence, worth_table
from hopcost.report.document import Table
from hopcost.statistics.summary.summary import ExperimentSummary, summarise
from hopcost.suites.experiments.beside import IdleConnections
from hopcost.suites.experiments.shown import ShownTable
from hopcost.suites.experiments.workload import Workload

MIB = 1 << 20


def shown(content: Record) -> Record:
    """The record as one whose experiments show what a hop is worth."""
    plan = content.plan
    experiments = [msgspec.structs.replace(planned, table=ShownTable.WORTH) for planned in plan.experiments]
    return msgspec.structs.replace(content, plan=msgspec.structs.replace(plan, experiments=experiments))


def table_of(content: Record) -> Table:
    return worth_table(summarise(content))


def row(table: Table, figure: str) -> list[str]:
    (cells,) = [cells for cells in table.rows if cells[0] == figure]
    return cells[1:]


def test_an_experiment_has_a_column_for_each_stack_and_a_row_for_each_figure() -> None:
    table = table_of(loaded())
    assert table.header[1:] == ["direct", "behind"]
    assert table.header[0].startswith("at ") and table.header[0].endswith("/s")
    assert [cells[0] for cells in table.rows][:3] == ["full load", "CPU", "median"]
    direct, behind = row(table, "full load")
    assert direct.endswith("/s") and "%" in behind
    assert "(" in row(table, "CPU")[1], "what the hop adds has a range"
    assert row(table, "failed") == ["0", "0"]
    assert table.below == [f"CPU per request; {BELOW}"]


def test_what_is_not_known_has_no_row() -> None:
    assert not any(cells[0] == "memory" for cells in table_of(loaded()).rows)


@pytest.mark.parametrize(("pss", "told"), [(30 * MIB, "50.0 MiB"), (None, "90.0 MiB")])
def test_memory_is_of_all_hops_shared_pages_divided_if_the_kernel_tells(pss: int | None, told: str) -> None:
    content = loaded()
    for part in (part for block in content.blocks for part in block.arms):
        part.memory = {"app": Memory(1, 45 * MIB, 20 * MIB), "proxy": Memory(2, 45 * MIB, pss)}
    assert row(table_of(content), "memory") == [told, told]


def test_a_sweep_has_a_row_for_each_stack_at_each_value() -> None:
    table = table_of(swept())
    assert table.header == ["connections", "", "throughput", "CPU"]
    assert [cells[:2] for cells in table.rows] == [
        ["10", "direct"],
        ["", "behind"],
        ["100", "direct"],
        ["", "behind"],
        ["1000", "direct"],
        ["", "behind"],
    ]
    assert worth_sentence(summarise(swept())).startswith("At full load, connections 10: direct ")
    assert "; 1000: direct " in worth_sentence(summarise(swept()))


def test_a_stack_that_answers_nothing_has_zero() -> None:
    content = swept()
    for part in (part for block in content.blocks for part in block.arms if block.experiment == "cost@10"):
        for piece in part.slices:
            piece.answers = 0
    assert table_of(content).rows[0][2] == "0/s"
    assert "connections 10: direct 0/s, behind 0/s;" in worth_sentence(summarise(content))


def test_a_share_of_a_lower_bound_is_an_upper_bound() -> None:
    points = summarise(swept())
    shares = [replace_bounds(point, "baseline_is_a_bound") for point in points]
    assert ", behind ≤" in worth_sentence(shares) and ", behind ≤" not in worth_sentence(points)
    experiment = replace_bounds(summarise(loaded())[0], "throughput_is_a_bound")
    assert row(worth_table([experiment]), "full load")[1].startswith("≥")


def replace_bounds(experiment: ExperimentSummary, name: str) -> ExperimentSummary:
    """The stack that is not the baseline, its generator or the baseline's full."""
    arms = [msgspec.structs.replace(arm, **{name: arm.name != experiment.plan.baseline}) for arm in experiment.arms]
    return msgspec.structs.replace(experiment, arms=arms)


def idle(numbers: tuple[int, int]) -> Record:
    """Before and with idle connections, of which each takes 2 KiB of the first stack."""
    content = loaded()
    (experiment,) = content.plan.experiments
    points, blocks = [], []
    for number in numbers:
        point = Point(experiment="cost", key="workload.idle_connections.number", value=number)
        workload = Workload(idle_connections=IdleConnections(number=number, every="30s"))
        points.append(msgspec.structs.replace(experiment, name=f"cost@{number}", point=point, workload=workload))
        for block in content.blocks:
            arms = [msgspec.structs.replace(arm, memory=memory_of(arm.name, number)) for arm in block.arms]
            blocks.append(msgspec.structs.replace(block, experiment=f"cost@{number}", arms=arms))
    return record(*blocks, plan=msgspec.structs.replace(content.plan, experiments=points))


def memory_of(arm: str, connections: int) -> dict[str, Memory]:
    each = 0 if arm == "behind" else 2048
    return {"app": Memory(1, 90 * MIB, 10 * MIB + each * connections)}


def test_a_sweep_of_idle_connections_tells_the_memory_of_each() -> None:
    points = summarise(idle((0, 1000)))
    assert worth_sentence(points).endswith("Memory for each of them: direct 2.0 KiB, behind 0.0 KiB.")
    table = worth_table(points)
    assert table.header == ["idle connections", "", "throughput", "CPU", "median", "memory"]
    assert table.below == [f"CPU per request and median at 5,000/s; {BELOW}"]
    assert [cells[-1] for cells in table.rows] == ["10.0 MiB", "10.0 MiB", "12.0 MiB", "10.0 MiB"]


def test_one_value_tells_nothing_of_each() -> None:
    assert "Memory" not in worth_sentence(summarise(idle((0, 1000)))[1:])


def test_the_report_shows_it_if_the_suite_asks_for_it() -> None:
    text = rendered("text", shown(loaded()))
    assert "full load" in text and BELOW in text
    assert "█" not in text
    assert "throughput" in rendered("text", shown(swept()))


def test_without_any_start_there_is_no_table() -> None:
    assert "No result" in rendered("text", shown(record(plan=plan_of())))
