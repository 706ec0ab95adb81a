"""Reports: one golden file per format, and what hostile text must not do to them."""

from __future__ import annotations

import json
import re

import golden
import msgspec
import pytest
from factory import MS, block, part, plain_block, plan_of, record, slice_of

from hopcost.plan import LeftOut
from hopcost.record import Block, Ending, Failure, Record, Run
from hopcost.report import json as json_report
from hopcost.report import markdown, table, text
from hopcost.report.table import interval
from hopcost.statistics import Interval
from hopcost.summary import summarise

RENDER = {"txt": text.render, "md": markdown.render, "json": json_report.render}


def rendered(format: str, content: Record) -> str:
    return RENDER[format](content, summarise(content))


def full_block(number: int, behind: int, validity: str = "valid", reasons: tuple[str, ...] = ()) -> Block:
    """Round figures in every column: 10,000/s direct, errors and an unanswered tail behind the proxy."""
    direct = part(
        slice_of("direct", 1000, cpu_ns={"app": 40 * MS}, generator_cpu_ns=8 * MS),
        service_time_ns=(900_000,) * 99 + (4_000_000,) * 1,
    )
    proxied = part(
        slice_of(
            "behind",
            behind,
            cpu_ns={"proxy": 50 * MS, "app": 20 * MS},
            generator_cpu_ns=4 * MS,
            outside_ns=14_000,
            errors={"timeout": 2, "status": 1200},
        ),
        service_time_ns=(2_000_000,) * 97,
        unanswered_ns=(30_000_000,) * 3,
        header_bytes=163,
        warmed_up=(50, 50, 50, 50, 50, 50, 100, 100) if number == 0 else (1, 2, 3),
    )
    again = part(slice_of("direct-aa", 1010 - 10 * number, cpu_ns={"app": 40 * MS}))
    beside = [part(slice_of("beside", 995), service_time_ns=(1_000_000,))] if number else []
    return block(
        number, direct, proxied, again, *beside, validity=validity, reasons=reasons, harness_cpu_ns=300_000
    )  # fmt: skip


def everything() -> Record:
    """A record in which every line that a report knows has something to say."""
    plan = plan_of(quick=False)
    experiment = msgspec.structs.replace(
        plan.experiments[0],
        left_out=[LeftOut(name="beyond", reason="'far' is not installed", remedy="apt-get install far")],
        notes=["too few cores for the published conditions: 2 here, 8 needed (it had eight)"],
    )
    plan = msgspec.structs.replace(
        plan, experiments=[experiment], left_out=[LeftOut(name="wide", reason="one core to give")]
    )
    printed = "under load: app ended by signal 11; its last lines:\npanic: no more memory\n\tgoroutine 7 [running]:"
    failed = block(
        3,
        validity="void",
        reasons=("the engine was killed by signal 9",),
        failures=(Failure(arm="beside", message=printed, hint="see the command with `hopcost show`"),),
    )
    return record(
        full_block(0, behind=400),
        full_block(1, behind=440),
        full_block(2, behind=420, validity="suspect", reasons=("other programs took 4% of the CPU time of 2 cores",)),
        failed,
        plan=plan,
        warnings=["records/made-up/blocks.jsonl: line 5 is cut off; read up to it"],
    )


@pytest.mark.parametrize("format", ["txt", "md", "json"])
def test_golden(format) -> None:
    golden.compare(f"report.{format}", rendered(format, everything()))


@pytest.mark.parametrize("format", ["txt", "md", "json"])
def test_the_same_record_gives_the_same_report(format) -> None:
    assert rendered(format, everything()) == rendered(format, everything())


def test_a_run_that_was_killed_says_so() -> None:
    run = Run(format=1, hopcost="0.1.0", command=[], started_utc="2025-01-02T03:04:05Z")
    for format in ("txt", "md"):
        assert "the run did not end by itself" in rendered(format, record(plain_block(0), run=run))
        assert "the run did not end by itself" not in rendered(format, record(plain_block(0)))


@pytest.mark.parametrize("format", ["txt", "md"])
def test_a_record_without_blocks_names_the_experiment_and_has_no_table(format) -> None:
    content = rendered(format, record())
    assert "What does the proxy cost?" in content
    assert "answers/s" not in content


# The table


def row(content: Record, name: str) -> dict[str, str]:
    (experiment,) = summarise(content)
    made = table.of(experiment)
    (found,) = [cells for cells in made.rows if cells[0] == name]
    return dict(zip(made.header, found, strict=True))


def test_a_row() -> None:
    assert row(everything(), "behind") == {
        "arm": "behind",
        "answers/s": "4,200",
        "ratio [95%]": row(everything(), "behind")["ratio [95%]"],
        "verdict": "unknown",
        "CPU ratio [95%]": row(everything(), "behind")["CPU ratio [95%]"],
        "CPU verdict": "unknown",
        "proxy µs": "119.0",
        "app µs": "47.6",
        "p50 µs": "2,001",
        "p99 µs": "> 30,015",
        "errors": "3,600 status, 6 timeout",
    }
    # 0.398010, 0.440000, 0.420000 to means of 1005, 1000 and 995 answers: the logs' mean gives 0.4199, their standard
    # deviation 0.0502; the blocks are over, before any look, and two arms share the error: t(2, 0.9875) = 6.205.
    assert row(everything(), "behind")["ratio [95%]"].startswith("0.420 [0.350, ")


def test_the_baseline_and_what_is_absent() -> None:
    assert row(everything(), "direct")["ratio [95%]"] == "1 (baseline)"
    beside = row(everything(), "beside")
    assert beside["proxy µs"] == "–"


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (None, "–"),
        (Interval(value=0.39749, low=0.3915, high=0.4025), "0.397 [0.392, 0.403]"),
        (Interval(value=1, low=None, high=None), "1.000 [no interval]"),
        (Interval(value=1.5, low=None, high=2.0), "1.500 [no interval]"),
    ],
)
def test_an_interval_in_words(ratio, shown) -> None:
    assert interval(ratio) == shown


def test_without_published_figures_there_is_no_column_for_them() -> None:
    plan = plan_of()
    plan = msgspec.structs.replace(
        plan, experiments=[msgspec.structs.replace(plan.experiments[0], published=[], control=None)]
    )
    (experiment,) = summarise(record(plain_block(0), plan=plan))
    made = table.of(experiment)
    assert "article's ratio" not in made.header
    assert (made.published_rows, made.published_below) == ([], [])


def below(content: Record) -> list[str]:
    (experiment,) = summarise(content)
    return table.of(experiment).below


def test_equal_answers_are_said_in_one_line() -> None:
    assert "every arm answers with 141 header bytes and 12 body bytes" in below(record(plain_block(0)))


def test_errors_take_the_verdict_away() -> None:
    lines = below(everything())
    assert "behind had errors: its ratio counts correct answers only" in lines
    assert not any(line.startswith("direct had errors") for line in lines)


def test_the_width_reached_is_the_widest_of_all_arms() -> None:
    narrow, wide = plain_block(0), plain_block(1, behind=440)
    # behind: 0.4 and 0.44, reach t(1, 0.9875) = 25.4517 × ln 1.1 ÷ 2 = 1.212904, sinh of that = 1.5330
    assert "2 blocks, ratios to ±153.3% at the widest; stopped: all 6 blocks are done" in below(record(narrow, wide))


def test_a_single_block_reaches_no_width() -> None:
    """The baseline is one by definition, and that is no precision reached."""
    assert "1 block, no interval; stopped: all 6 blocks are done" in below(record(plain_block(0)))


def ended(why: str, detail: str) -> Run:
    endings = [Ending(experiment="cost", why=why, detail=detail)]
    return Run(format=1, hopcost="0.1.0", command=[], started_utc="", ended_utc="", endings=endings)


def test_an_experiment_that_failed_says_why_even_without_arms() -> None:
    """The baseline failed at once: there is no row, and the reason is all there is."""
    void = block(0, validity="void", reasons=("the baseline direct failed: no",))
    lines = below(record(void, run=ended("failed", "the baseline failed")))
    assert lines == ["no result: the baseline failed", "void: block 1: the baseline direct failed: no"]


# JSON


def keys(value: object) -> set[str]:
    assert isinstance(value, dict)
    return set(value)


def test_json_has_the_keys_that_were_promised() -> None:
    content = json.loads(rendered("json", everything()))
    (experiment,) = content["experiments"]
    assert keys(experiment) >= {"name", "baseline", "aa_floor", "blocks", "arms"}
    assert keys(experiment["aa_floor"]) >= {"low", "high"}
    for arm in experiment["arms"]:
        assert keys(arm) >= {
            "name",
            "throughput_per_s",
            "ratio",
            "cpu_ns_per_request",
            "service_time_ns",
            "errors",
            "published_ratio",
        }
        assert keys(arm["ratio"]) == {"value", "low", "high"}
        assert keys(arm["service_time_ns"]) == {"p50", "p99"}
        assert "generator" in arm["cpu_ns_per_request"]
        assert keys(arm["errors"]) == {"connect", "tls", "write", "read", "protocol", "status", "body", "timeout"}
    assert [arm["name"] for arm in experiment["arms"]] == ["direct", "behind", "beside"]
    assert [arm["published_ratio"] for arm in experiment["arms"]] == [1.0, 0.25, None]


def test_json_holds_figures_as_they_are() -> None:
    (experiment,) = json.loads(rendered("json", everything()))["experiments"]
    behind = experiment["arms"][1]
    assert (experiment["name"], experiment["baseline"], experiment["blocks"]) == ("cost", "direct", 3)
    assert behind["throughput_per_s"] == pytest.approx(4200)
    assert behind["cpu_ns_per_request"] == {"proxy": 119048, "app": 47619, "generator": 9524}
    assert behind["service_time_at_least"] == ["p99"]
    assert behind["service_time_ns"]["p99"] == 30_015_487
    assert experiment["void_blocks"] == [{"number": 3, "reasons": ["the engine was killed by signal 9"]}]


def test_json_of_nothing_is_null_and_never_zero() -> None:
    (experiment,) = json.loads(rendered("json", record(plain_block(0, behind=0))))["experiments"]
    behind = experiment["arms"][1]
    assert (behind["ratio"], behind["cpu_ratio"], behind["cpu_outside"]) == (None, None, None)
    assert behind["service_time_ns"] == {"p50": None, "p99": None}
    (empty,) = json.loads(rendered("json", record()))["experiments"]
    assert (empty["aa_floor"], empty["harness_load"], empty["blocks"], empty["arms"]) == (None, None, 0, [])


# Hostile text: what programs print is theirs

FENCES = (
    "``` and ````\n```\n</pre><script>alert(1)</script>\n````\n<script>alert(2)</script>\n# a heading\n| a | table |"
)


def failing(message: str, arm: str = "behind") -> Record:
    return record(block(0, *plain_block(0).arms, failures=(Failure(arm=arm, message=message),)))


def outside_fences(content: str) -> str:
    """What a Markdown reader takes for Markdown: everything but fenced code, by CommonMark's rule for its end."""
    kept, fence = [], ""
    for line in content.splitlines():
        ticks = re.match(r"\s*(`{3,})", line)
        if fence:
            if ticks and len(ticks[1]) >= len(fence) and line.strip() == ticks[1]:
                fence = ""
        elif ticks:
            fence = ticks[1]
        else:
            kept.append(line)
    assert not fence, "a fence that is never closed swallows the rest"
    return "\n".join(kept)


def test_no_output_of_a_program_gets_out_of_its_fence() -> None:
    content = rendered("md", failing("it died; its last lines:\n" + FENCES))
    assert "<script>alert(1)</script>" in content
    plain = outside_fences(content)
    assert "script" not in plain
    assert "# a heading" not in plain
    assert "| a | table |" not in plain


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>",
        "<img src=x>",
        "a & b",
        "&lt;b>",
        "`code`",
        "*b*",
        "_i_",
        "[a](b)",
        "![a](b)",
        "#1",
        "a|b",
        "~~gone~~",
        "\\`",
    ],
)
def test_one_line_of_hostile_text_stays_text(text) -> None:
    content = rendered("md", failing(text))
    (line,) = [line for line in content.splitlines() if line.startswith("- failed: behind: ")]
    shown = line.removeprefix("- failed: behind: ")
    assert "<" not in shown
    unescaped = re.sub(r"\\(.)", r"\1", shown).replace("&lt;", "<").replace("&amp;", "&")
    assert unescaped == text
    assert not re.search(r"[`*_|\[\]#~]", re.sub(r"\\.", "", shown))


def test_the_analysis_keeps_its_paragraphs_and_loses_its_line_breaks() -> None:
    plan = msgspec.structs.replace(plan_of(), analysis="One is\nshort.\n\n  Two\n  is not.\n")
    head = table.head(record(plain_block(0), plan=plan))
    assert head[-2:] == ["One is short.", "Two is not."]
    none = msgspec.structs.replace(plan, analysis="\n")
    assert table.head(record(plain_block(0), plan=none)) == head[:-2]


def test_lines_above_the_tables_stay_lines_of_text() -> None:
    """A reason may hold several lines of a program's output."""
    plan = msgspec.structs.replace(
        plan_of(), left_out=[LeftOut(name="wide", reason="it said:\n# Heading\n- point\n    code\n---")]
    )
    content = rendered("md", record(plain_block(0), plan=plan))
    above = outside_fences(content[: content.index("## cost")])
    assert [line for line in above.splitlines() if re.match(r"#|- |---|    ", line)] == [
        "# A made-up suite (made-up, quick)"
    ]


@pytest.mark.parametrize("format", ["txt", "md"])
def test_a_terminal_is_not_steered_by_what_programs_print(format) -> None:
    content = rendered(format, failing("its last lines:\n\x1b]0;title\x07\x1b[2J\x1b[31mred\x9b31m\x00\rgone\b\x7f"))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", content)
    assert "red" in content and "gone" in content


def test_text_is_plain_even_where_colours_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many CI machines set FORCE_COLOR; the report goes into a file all the same."""
    plain = rendered("txt", everything())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "40")
    assert rendered("txt", everything()) == plain


def test_a_narrow_terminal_leaves_nothing_out() -> None:
    """rich would drop the columns that do not fit, and shorten headings to a letter."""
    content = everything()
    narrow = text.render(content, summarise(content), width=40)
    for made in (table.of(each) for each in summarise(content)):
        for cells in [*made.rows, *made.published_rows]:
            assert any(all(cell in line for cell in cells) for line in narrow.splitlines()), cells
        for heading in [*made.header, *made.published_header]:
            assert all(word in narrow for word in heading.split()), heading


def test_text_takes_words_in_brackets_for_words() -> None:
    """rich's own markup."""
    assert "[bold red]x[/] [link=http://x]y" in rendered("txt", failing("[bold red]x[/] [link=http://x]y"))


@pytest.mark.parametrize("message", ["", "\n", "\n\n"])
@pytest.mark.parametrize("format", ["txt", "md", "json"])
def test_a_failure_without_words_is_still_a_failure(format, message) -> None:
    assert "behind" in rendered(format, failing(message))
