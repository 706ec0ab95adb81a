"""`hopcost compare` on the page: the answer first, then what changes its reading."""

from __future__ import annotations

import json

import golden
import msgspec
import pytest
from samples.questions.pairs import half
from samples.records import ENVIRONMENT, plan_of

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.run import Record
from hopcost.report import Format, render
from hopcost.report.questions.two_records import comparison_report
from hopcost.statistics.questions.two_records import two_records as questions_two_records


def everything() -> tuple[Record, Record]:
    """A slower proxy of a newer version on a machine that became slower too, compared though the CPU is another."""
    environment = ENVIRONMENT | {"programs": {"app": "1", "proxy": "2"}, "load_average_1min": 0.3}
    newer: dict[str, object] = {"cpu": "Abacus 3", "programs": {"app": "1", "proxy": "3"}, "load_average_1min": 1.9}
    plans = [plan_of(quick=False), plan_of(quick=False)]
    (planned,) = plans[1].experiments
    more = msgspec.structs.replace(planned, workload=msgspec.structs.replace(planned.workload, connections=64))
    plans[1] = msgspec.structs.replace(plans[1], experiments=[more])
    a = half("a", open_loop_at=5000, plan=plans[0], environment=environment)
    b = half("b", 0.9, 0.45, open_loop_at=5000, plan=plans[1], environment=ENVIRONMENT | newer)
    b.run.started_utc = "2025-01-03T03:04:05Z"
    return a, b


def page(a: Record, b: Record, format: Format = Format.TEXT, *, anyway: bool = False, details: bool = False) -> str:
    comparison = questions_two_records.compare_records(a, b, anyway=anyway)
    return render(comparison_report(a, b, comparison, details=details), format)


def on_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_page_to_the_last_byte(format: Format, ending: str) -> None:
    golden.compare(f"questions/compare/report.{ending}", page(*everything(), format, anyway=True))


def test_the_details_to_the_last_byte() -> None:
    golden.compare("questions/compare/details.txt", page(*everything(), anyway=True, details=True))


def test_the_answer_fits_a_small_terminal() -> None:
    lines = page(*everything(), anyway=True).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 22


def test_the_sentence_comes_before_any_table_and_names_what_changed() -> None:
    before = page(*everything(), anyway=True).partition("share of direct")[0]
    assert "behind is slower (−10" in before and "needs more CPU (+11" in before


def test_what_is_not_alike_and_why_they_should_not_be_compared_are_cautions() -> None:
    text = on_one_line(page(*everything(), anyway=True))
    assert "! Compared all the same: other CPUs: Abacus 2 and Abacus 3." in text
    assert "! Not alike: cpu: Abacus 2 → Abacus 3, programs.proxy: 2 → 3, workload.connections: 32 → 64." in text
    assert "! direct itself: 999,748 → 899,773 req/s. The machine or the program changed" in text
    assert "load_average" not in text


def test_the_same_again_is_the_same_and_has_no_caution() -> None:
    text = page(half("a"), half("b"))
    assert "The same: all 2 figures within the margin." in text and "!" not in text
    assert "nothing that the records keep, but the hour" in page(half("a"), half("b"), details=True)


def test_records_of_few_starts_are_not_settled() -> None:
    a, b = half("a", open_loop_at=5000), half("b", open_loop_at=5000)
    text = on_one_line(page(a, b))
    assert "No difference is shown. Of 5 figures 2 the same, 2 not settled, 1 without a verdict." in text
    assert "Not settled: CPU per request at 5,000/s, response time p50" in text
    assert "No verdict: response time p99 at 5,000/s" in text


def test_what_has_no_verdict_tells_why() -> None:
    short = half("b", behind=0.2)
    short.blocks = short.blocks[:1]
    text = on_one_line(page(half("a"), short))
    assert "No verdict: B: only one server start, 2 are needed" in text and "20 %" in text


def test_disturbed_starts_are_told_with_their_record() -> None:
    disturbed = half("a")
    for block in disturbed.blocks:
        block.validity = Validity.SUSPECT
    assert "! A: In all 6 server starts" in page(disturbed, half("b"))


def test_at_most_three_cautions_are_shown() -> None:
    a, b = everything()
    for record in (a, b):
        for block in record.blocks:
            block.validity = Validity.SUSPECT
    text = page(a, b, anyway=True)
    assert text.count("! ") == 3 and "2 more cautions: --details" in text


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["run", "made-up", "--quick"], "made-up/cost/behind"),
        (["run", "./own/made-up.toml/cost"], "./own/made-up.toml/cost/behind"),
        (["gate", "--after", "app.config=/x/y/z", "hello/one-core/go"], "hello/one-core/go"),
    ],
)
def test_the_stronger_way_names_the_arm_as_the_command_line_takes_it(words: list[str], path: str) -> None:
    a, b = half("a"), half("b")
    a.run.command = ["hopcost", *words]
    assert f"next    hopcost gate {path} …" in page(a, b)


def test_json_is_json() -> None:
    content = json.loads(page(*everything(), Format.JSON, anyway=True))
    assert content["a"]["record"] == "records/a"
    change = content["experiments"][0]["arms"][1]["figures"][0]
    assert change["verdict"]["word"] == "slower"
    assert (round(change["share_a"], 3), round(change["share_b"], 3)) == (0.5, 0.45)
