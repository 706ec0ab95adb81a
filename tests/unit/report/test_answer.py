"""The sentence that an experiment answers with: what it says of every outcome, and that it never says more."""

from __future__ import annotations

import msgspec
import pytest
from samples.comparisons import six_blocks, void_load
from samples.records import block, part, plain_block, plan_of, record, slice_of, sound_block

from hopcost.plan.plan import Plan
from hopcost.record.block import Block
from hopcost.record.run import Record
from hopcost.report.answer import sentence
from hopcost.statistics.summary.summary import summarise

MS = 1_000_000


def said(content: Record) -> str:
    (experiment,) = summarise(content)
    return sentence(experiment)


def steady(behind: int, blocks: int = 6) -> list[Block]:
    """Alike but for a thousandth, so that intervals are narrow."""
    return [plain_block(number, 100_000, 100_000, behind + behind * (number % 2) // 1000) for number in range(blocks)]


def test_slower() -> None:
    assert said(record(*steady(39_000))).startswith("Beside the app alone, a proxy before it keeps 39% ± 0.9")


def test_faster() -> None:
    assert "a proxy before it gives 150% ± " in said(record(*steady(150_000)))


def test_the_same_within_the_margin() -> None:
    blocks = [plain_block(number, 100_000, 100_000, 99_800 + 400 * (number % 2)) for number in range(6)]
    assert "keeps the throughput within the margin of ±2.0% (100% ± 2.4%)" in said(record(*blocks))
    assert "(not settled whether by more than ±2.0%)" in said(record(*steady(103_000)))


def test_not_told_apart() -> None:
    blocks = [
        plain_block(number, 1000, 1000, behind) for number, behind in enumerate((700, 1500, 900, 1300, 800, 1200))
    ]
    assert " a proxy before it may keep " in said(record(*blocks))


def test_one_start_says_so_first() -> None:
    words = said(record(plain_block(0)))
    assert words.startswith("No verdicts: from one start: 2 are needed. As measured: beside the app alone, ")


def test_an_interval_that_says_nothing_is_not_printed() -> None:
    assert "(interval too wide)" in said(record(plain_block(0), plain_block(1, behind=90_000)))


def test_a_cost_beside_another_arm_than_the_baseline_is_not_said_as_if_it_were() -> None:
    plan = plan_of(quick=False)
    (experiment,) = plan.experiments
    swapped = msgspec.structs.replace(experiment, baseline="beside")
    content = record(
        *(dear_proxy(number) for number in range(6)), plan=msgspec.structs.replace(plan, experiments=[swapped])
    )
    assert "adds" not in said(content)


def test_no_block() -> None:
    assert said(record()) == "No result: all 6 blocks are done."


def test_a_fault_of_an_arm_withholds_the_verdict_and_is_named() -> None:
    def faulty(number: int) -> Block:
        return block(
            number,
            part(slice_of("direct", 1000 + number)),
            part(slice_of("behind", 400, errors={"status": 50})),
            part(slice_of("direct-aa", 1000)),
        )

    words = said(record(*(faulty(number) for number in range(6))))
    assert words.endswith(". No verdict on the throughput: 300 errors: status 300.")


def dear_proxy(number: int) -> Block:
    """A block in which the arm behind the proxy takes twice the CPU time per request, at 5000/s as at saturation."""
    made = sound_block(number)
    (behind,) = [part for part in made.arms if part.name == "behind"]
    for each in [*behind.slices, *behind.open_loop[0].slices]:
        each.cpu_ns = {hop: 2 * ns + number * 1000 for hop, ns in each.cpu_ns.items() if ns is not None}
    return made


def test_the_hop_cost_comes_with_its_load() -> None:
    words = said(record(*(dear_proxy(number) for number in range(6)), plan=plan_of(quick=False)))
    assert "adds 25 ± 0.89 µs" in words and " µs of CPU per request at 5,000/s" in words


def test_a_hop_that_costs_nothing_measurable_adds_nothing() -> None:
    words = said(record(*(sound_block(number) for number in range(6)), plan=plan_of(quick=False)))
    assert "adds 0 µs (interval too wide) of CPU per request at 5,000/s, not told from none" in words


def test_without_an_open_loop_the_hop_cost_is_that_of_saturation() -> None:
    def costly(number: int) -> Block:
        proxy = {"proxy": 30 * MS + number * 1000, "app": 40 * MS}
        return block(
            number,
            part(slice_of("direct", 1000, cpu_ns={"app": 40 * MS})),
            part(slice_of("behind", 1000, cpu_ns=proxy)),
            part(slice_of("direct-aa", 1000, cpu_ns={"app": 40 * MS})),
        )

    assert "adds 30 ± " in said(record(*(costly(number) for number in range(6))))
    assert "µs of CPU per request at saturation" in said(record(*(costly(number) for number in range(6))))


def test_the_hop_cost_of_a_load_that_counts_in_one_start_is_not_the_answer() -> None:
    blocks = six_blocks(0.5, 0.0005)
    assert " of CPU per request at 5,000/s" in said(record(*blocks))
    blocks[1:] = [void_load(each, 0.06) for each in blocks[1:]]
    assert " of CPU per request at saturation" in said(record(*blocks))


def ending(words: str) -> Plan:
    """All arms' titles end so."""
    plan = plan_of()
    (experiment,) = plan.experiments
    arms = [
        msgspec.structs.replace(arm, arm=msgspec.structs.replace(arm.arm, title=arm.arm.title + words))
        for arm in experiment.arms
    ]
    return msgspec.structs.replace(plan, experiments=[msgspec.structs.replace(experiment, arms=arms)])


def test_what_stands_in_brackets_behind_a_title_is_left_out() -> None:
    assert "(as asked)" not in said(record(*steady(39_000), plan=ending(" (as asked)")))


def test_what_stands_behind_a_comma_is_told_from_the_next_arm() -> None:
    words = said(record(*steady(39_000), plan=ending(", gzip, no log (as asked)")))
    assert words.startswith("Beside the app alone (gzip, no log), a proxy before it (gzip, no log) keeps 39% ± ")


@pytest.mark.parametrize("sign", ["\x1b[2J", "\r"])
def test_control_characters_do_not_reach_the_terminal(sign: str) -> None:
    assert sign not in said(record(*steady(39_000), plan=ending(sign)))
