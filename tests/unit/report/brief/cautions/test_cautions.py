"""What stands below a table: marks are explained, what changes the reading is always there, in few lines."""

from __future__ import annotations

import msgspec
from known import known
from samples.blocks import MS, block, histogram, part, plain_block, slice_of
from samples.comparisons import arm, six_blocks, summary, void_load
from samples.records import plan_of, record
from samples.reports import everything, failing

from hopcost.plan.plan import LeftOut, PlannedExperiment
from hopcost.programs.generators.beside import BesideTotals
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import Record
from hopcost.report.brief.cautions.cautions import cautions
from hopcost.report.brief.load import load_shown
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import summarise


def cautions_of(content: Record) -> list[str]:
    (experiment,) = summarise(content)
    return [" ".join(sentences) for sentences in cautions(content, experiment, load_shown(experiment))]


def planned(**more: object) -> PlannedExperiment:
    return msgspec.structs.replace(plan_of().experiments[0], **more)


def sound(**more: object) -> Record:
    plan = msgspec.structs.replace(plan_of(), experiments=[planned(**more)])
    return record(*six_blocks(0.5, 0.0005, open_loop=False), plan=plan)


def test_a_sound_experiment_has_one_line() -> None:
    (line,) = cautions_of(sound())
    assert line.startswith("Noise: the app measured twice differed by ") and line.endswith("; that is chance.")


def test_a_baseline_that_leaves_its_own_range_is_not_called_chance_alone() -> None:
    content = sound()
    (experiment,) = summarise(content)
    own = msgspec.structs.replace(experiment, aa_floor=Interval(value=0.82, low=0.73, high=0.92))
    (line,) = (" ".join(sentences) for sentences in cautions(content, own, load_shown(own)))
    assert line == (
        "Noise: the app measured twice differed by −18.0 % (−27.0 to −8.0);"
        " by chance such a range leaves out 0 in 1 of 20 tables."
    )


def test_one_start_says_what_to_do() -> None:
    assert cautions_of(record(plain_block(0)))[0] == (
        "? no verdict on any: only one server start, 2 are needed; give it more --time"
    )


def test_errors_take_the_verdict_and_are_the_reason() -> None:
    def faulty(number: int) -> Block:
        return block(
            number,
            part(slice_of("direct", 1000 + number)),
            part(slice_of("behind", 400, errors={"status": 50})),
            part(slice_of("direct-aa", 1000)),
        )

    lines = cautions_of(record(*(faulty(number) for number in range(6))))
    assert lines[0].startswith("? no verdict: 300 errors (status 300); fewer connections")


def test_errors_of_slow_clients_are_told_beside_the_figures_of_the_fast_ones() -> None:
    content = sound()
    for own in (found for start in content.blocks for found in start.arms if found.name == "behind"):
        totals = known(own.totals)
        totals.slow_clients = BesideTotals(
            number=7, established=7, due=4, sent=4, not_sent=0, answers=0, compared=0, in_flight=0, opened=7,
            reconnects=0, errors={"timeout": 3, "read": 1}, time=histogram(), unanswered=histogram(),
        )  # fmt: skip
    assert "! Slow clients had 24 errors at behind (18 timeout, 6 read)." in cautions_of(content)


def test_what_is_not_installed_comes_with_its_command() -> None:
    left = [
        LeftOut(
            name="caddy", reason="'caddy' is not installed", remedy="apt-get install caddy (as root); then stop it"
        ),
        LeftOut(name="caddy-unix", reason="'caddy' is not installed", remedy="apt-get install caddy (as root); and so"),
    ]
    assert "? not measured: caddy and caddy-unix: apt-get install caddy (as root)" in cautions_of(sound(left_out=left))


def test_short_visits_are_a_bias_and_stand_beside_the_figures() -> None:
    assert any("flatter hops by 4–8 %" in line for line in cautions_of(sound(slice_ns=100 * MS)))
    assert not any("flatter" in line for line in cautions_of(sound(slice_ns=300 * MS)))


def test_starts_that_were_all_disturbed_change_the_reading() -> None:
    blocks = six_blocks(0.5, 0.0005, open_loop=False)
    for start in blocks:
        start.validity = Validity.SUSPECT
        start.reasons = [Reason(ReasonKind.OTHER_PROGRAMS, value=0.08)]
    assert cautions_of(record(*blocks))[0] == (
        "! In all 6 server starts other programs used 8 % of the CPU: ranges are wider, figures stand"
        " (--details=starts). Close other programs and run again."
    )
    blocks[0].validity = Validity.VALID
    (line,) = cautions_of(record(*blocks))
    assert line.startswith(
        "In 5 of 6 server starts other programs used 8 % of the CPU: ranges are wider, figures stand"
        " (--details=starts). Noise: "
    )


def test_a_table_with_other_columns_says_why() -> None:
    blocks = [void_load(start, 0.06) for start in six_blocks()]
    content = record(*blocks, plan=plan_of(quick=False))
    (experiment,) = summarise(content)
    assert load_shown(experiment).share is None
    assert any(
        "CPU is that at full load: at 5,000/s: 6 of 6 starts do not count: the generator sent 6 % of the requests late."
        in line
        for line in cautions_of(content)
    )


def test_a_failure_is_named_with_its_first_line() -> None:
    lines = cautions_of(failing("it ended with exit code 3; its last lines:\npanic: no"))
    assert any("behind failed: it ended with exit code 3." in line for line in lines)
    content = failing("it would not start")
    content.blocks[0].failures[0].hint = "see its log"
    assert any("behind failed: it would not start; hint: see its log." in line for line in cautions_of(content))


def test_a_record_that_has_everything_has_few_lines() -> None:
    lines = cautions_of(everything())
    assert [line[:2] for line in lines][:1] == ["? "]
    assert len(lines) <= 5


def test_what_is_not_settled_says_how_far_it_is() -> None:
    (line,) = [
        line for line in cautions_of(record(*six_blocks(1.0, 0.1, open_loop=False))) if line.startswith("? not settled")
    ]
    assert "now" in line


def test_same_is_explained() -> None:
    experiment = summary(six_blocks(1.0, 0.0005, open_loop=False))
    lines = cautions(record(*six_blocks(1.0, 0.0005, open_loop=False)), experiment, load_shown(experiment))
    assert ["~ same: the whole range is within ±2 %"] in lines


def test_a_stack_that_moved_from_start_to_start_says_so() -> None:
    blocks = six_blocks(0.5, 0.0, open_loop=False)
    for number, start in enumerate(blocks):
        start.arms[1] = arm("behind", 4_500 + 50 * number, 110)
    assert "! behind moved during the run: the range may be too narrow." in cautions_of(record(*blocks))
    assert not any("moved" in line for line in cautions_of(sound()))


def busy_blocks(validity: Validity) -> list[Block]:
    blocks = six_blocks(0.97, 0.05, open_loop=False)
    for start in blocks:
        start.validity, start.reasons = validity, [Reason(ReasonKind.OTHER_PROGRAMS, value=0.33)]
    return blocks


def test_a_busy_machine_comes_before_more_time() -> None:
    busy, unsettled = cautions_of(record(*busy_blocks(Validity.SUSPECT)))[:2]
    assert busy.startswith("! In all 6 server starts other programs used 33 % of the CPU")
    assert busy.endswith("Close other programs and run again.") and unsettled.startswith("? not settled")


def test_if_no_start_counted_the_cause_is_told() -> None:
    lines = cautions_of(record(*busy_blocks(Validity.VOID)))
    assert lines[0].startswith("! In all 6 server starts other programs used 33 % of the CPU")
