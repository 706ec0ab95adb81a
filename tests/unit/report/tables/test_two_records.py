"""`hopcost compare` on the page: all that differs stands before any figure."""

from __future__ import annotations

import json

import golden
import msgspec
import pytest
from samples.pairs import half
from samples.records import ENVIRONMENT, plan_of

from hopcost.record.run import Record
from hopcost.report import Format, render
from hopcost.report.tables.two_records import comparison_report
from hopcost.statistics.questions import two_records as questions_two_records


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


def page(a: Record, b: Record, format: Format = Format.TEXT, *, anyway: bool = False) -> str:
    return render(comparison_report(a, b, questions_two_records.compare_records(a, b, anyway=anyway)), format)


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_page_to_the_last_byte(format: Format, ending: str) -> None:
    golden.compare(f"questions/compare.{ending}", page(*everything(), format, anyway=True))


def test_all_that_differs_stands_before_any_figure() -> None:
    text = page(*everything(), anyway=True)
    before = text.partition("answers/s")[0]
    for words in ("cpu: Abacus 2 → Abacus 3", "programs.proxy: 2 → 3", "cost: workload.connections: 32 → 64"):
        assert words in before
    assert "load_average" not in text
    assert "weaker evidence than one interleaved run" in before and "hopcost gate made-up/cost/behind" in before


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
    assert f"the stronger way: hopcost gate {path} --before" in page(a, b)


def test_the_same_again_says_so() -> None:
    assert "nothing that the records keep, but the hour" in page(half("a"), half("b"))


def test_json_is_json() -> None:
    content = json.loads(page(*everything(), Format.JSON, anyway=True))
    assert content["a"]["record"] == "records/a"
    assert content["experiments"][0]["arms"][1]["figures"][0]["verdict"]["word"] == "slower"
