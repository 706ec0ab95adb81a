"""The Markdown report: hostile text stays text."""

from __future__ import annotations

import re

import msgspec
import pytest
from samples.blocks import plain_block
from samples.records import plan_of, record
from samples.reports import failing, rendered

from hopcost.plan.plan import LeftOut
from hopcost.report.notes import head as notes_head

FENCES = (
    "``` and ````\n```\n</pre><script>alert(1)</script>\n````\n<script>alert(2)</script>\n# a heading\n| a | table |"
)


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
def test_one_line_of_hostile_text_stays_text(text: str) -> None:
    content = rendered("md", failing(text))
    (line,) = [line for line in content.splitlines() if line.startswith("- failed: behind: ")]
    shown = line.removeprefix("- failed: behind: ")
    assert "<" not in shown
    unescaped = re.sub(r"\\(.)", r"\1", shown).replace("&lt;", "<").replace("&amp;", "&")
    assert unescaped == text
    assert not re.search(r"[`*_|\[\]#~]", re.sub(r"\\.", "", shown))


def test_the_analysis_keeps_its_paragraphs_and_loses_its_line_breaks() -> None:
    plan = msgspec.structs.replace(plan_of(), analysis="One is\nshort.\n\n  Two\n  is not.\n")
    words = notes_head.analysis(record(plain_block(0), plan=plan))
    assert words == ["One is short.", "Two is not."]
    none = msgspec.structs.replace(plan, analysis="\n")
    assert notes_head.analysis(record(plain_block(0), plan=none)) == []


def test_lines_above_the_tables_stay_lines_of_text() -> None:
    """A reason may hold several lines of a program's output."""
    plan = msgspec.structs.replace(
        plan_of(), left_out=[LeftOut(name="wide", reason="it said:\n# Heading\n- point\n    code\n---")]
    )
    content = rendered("md", record(plain_block(0), plan=plan))
    above = outside_fences(content[: content.index("## cost")])
    assert [line for line in above.splitlines() if re.match(r"#|- |---|    ", line)] == [
        "# made-up --quick · 2 min · 2-core machine, Abacus 2",
        "- ! not measured: experiment wide: it said:",
    ]
