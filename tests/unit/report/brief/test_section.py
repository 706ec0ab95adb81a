"""A whole report in short: its length, its width, its last lines."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from samples.blocks import plain_block
from samples.comparisons import six_blocks
from samples.pages import hostile, loaded, swept
from samples.records import plan_of, record
from samples.reports import everything, failing, full_block
from samples.sweeps import soak_block, soak_plan, sweep

from hopcost.plan.plan import LeftOut
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Failure
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import Record
from hopcost.report import Part
from hopcost.report.brief.section import section
from hopcost.report.document import Document
from hopcost.report.formats import text
from hopcost.report.record_report import document
from hopcost.report.tables.experiment import groups
from hopcost.statistics.summary.summary import summarise

MOST_LINES = 15


def soaked() -> Record:
    return record(*[soak_block(number, 400, 2**20) for number in range(4)], plan=soak_plan())


def sound() -> Record:
    return record(*six_blocks(0.5, 0.0005), plan=plan_of(quick=False))


def failed() -> Record:
    return failing("its last lines:\n" + 30 * "a long line of a program that says too much ")


def worst() -> Record:
    """A long question, stacks that are missing or failed, a bad machine: all of it wants a line."""
    plan = plan_of()
    left_out = [LeftOut(name=f"far-{n}", reason="not there", remedy=f"apt-get install far-{n}") for n in range(3)]
    question = (
        "What does the proxy cost if it shares one core with the app and hundreds of clients keep connections open?"
    )
    experiment = msgspec.structs.replace(
        plan.experiments[0], question=question, left_out=left_out, connections_asked=5000
    )
    busy = (Reason(ReasonKind.OTHER_PROGRAMS, value=0.99),)
    blocks = [full_block(number, 400 + number, Validity.SUSPECT, busy) for number in range(6)]
    message = "under load: it ended with exit code 124, after it had answered some of the requests"
    blocks[0].failures = [Failure(arm=name, message=message) for name in ("behind", "beside", "far-0")]
    return record(*blocks, plan=msgspec.structs.replace(plan, experiments=[experiment]))


KINDS: list[Callable[[], Record]] = [everything, loaded, swept, sweep, soaked, sound, failed, worst, record]


@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize("parts", [(), tuple(Part)], ids=["brief", "details"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_line_is_wider_than_80_columns(kind: Callable[[], Record], parts: tuple[Part, ...], ascii: bool) -> None:
    content = kind()
    lines = text.text(document(content, summarise(content), parts), ascii=ascii).splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert not ascii or all(line.isascii() for line in lines)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_experiment_has_fifteen_lines_at_most(kind: Callable[[], Record]) -> None:
    content = kind()
    (group,) = groups(summarise(content))
    shown = text.text(Document([section(content, group, ())]))
    assert len(shown.splitlines()) <= MOST_LINES, shown


def test_cautions_without_room_are_counted_and_in_the_details() -> None:
    content = worst()
    (group,) = groups(summarise(content))
    brief, details = (text.text(Document([section(content, group, parts)])) for parts in ((), (Part.NOISE,)))
    assert "  ! " in brief and " more cautions: --details\n" in brief
    assert "  ? no verdict" in brief
    assert "more caution" not in details and "beside failed" in " ".join(details.split()) and "Noise: " in details


def test_hostile_words_do_not_widen_it() -> None:
    content = hostile()
    lines = text.text(document(content, summarise(content))).splitlines()
    assert [line for line in lines if len(line) > 80 and "hopcost" not in line] == []


def test_the_last_lines_are_the_record_and_one_command() -> None:
    content = sound()
    *_, first, second = text.text(document(content, summarise(content))).splitlines()
    assert first.strip().startswith("record  ") and second.strip().startswith("next    hopcost report ")


def test_what_is_not_settled_asks_for_more_time() -> None:
    content = record(*six_blocks(1.0, 0.02, open_loop=False))
    last = text.text(document(content, summarise(content))).splitlines()[-1]
    assert last.strip().startswith("next    hopcost run made-up cost --time ")


def test_without_a_result_the_run_is_asked_for_again() -> None:
    content = record()
    assert text.text(document(content, summarise(content))).splitlines()[-1] == "  next    hopcost run made-up"
    content.run.command[:] = ["hopcost", "run", "made-up", "cost", "--record", "here"]
    assert text.text(document(content, summarise(content))).splitlines()[-1] == "  next    hopcost run made-up cost"


def test_if_every_start_was_disturbed_the_same_run_is_asked_for_again() -> None:
    content = sound()
    content.run.command[:] = ["hopcost", "run", "made-up", "--quick", "--record", "here", "--seed=3", "--anyway"]
    for start in content.blocks:
        start.validity, start.reasons = Validity.SUSPECT, [Reason(ReasonKind.OTHER_PROGRAMS, value=0.043)]
    shown = text.text(document(content, summarise(content)))
    assert shown.splitlines()[-1] == "  next    hopcost run made-up --quick"
    assert "! In all 6 server starts other programs used 4.3 % of the CPU" in shown
    content.blocks[0].validity = Validity.VALID
    assert "next    hopcost report " in text.text(document(content, summarise(content)))


def test_details_are_of_the_part_that_was_asked_for() -> None:
    content = everything()
    brief = text.text(document(content, summarise(content)))
    shown = text.text(document(content, summarise(content), [Part.NOISE]))
    assert "Noise\n" in shown and "Noise\n" not in brief
    assert Part.CPU.heading not in shown


def test_the_essay_is_not_there() -> None:
    content = record(plain_block(0))
    assert content.plan.analysis.strip() not in text.text(document(content, summarise(content)))
