"""The report as Markdown, for a pull request or an issue."""

from __future__ import annotations

import re

from hopcost.record.run import Record
from hopcost.report.notes import head
from hopcost.report.tables import experiment
from hopcost.statistics.summary.summary import ExperimentSummary


def render(record: Record, experiments: list[ExperimentSummary]) -> str:
    """GitHub's dialect: pipe tables."""
    title, *lines = head.head(record)
    parts = [f"# {escape(title)}", *[escape(line) for line in lines]]
    for content in experiment.tables(experiments):
        parts += [f"## {escape(content.title)}", escape(content.question), escape(content.answer)]
        if content.rows:
            parts.append(grid(content.header, content.rows))
        for further in content.further:
            parts += [f"**{escape(further.title)}**", grid(further.header, further.rows), bullets(further.below)]
        parts.append(bullets(content.below))
        if content.published_rows:
            parts += [grid(content.published_header, content.published_rows), bullets(content.published_below)]
    return "\n\n".join(part for part in parts if part) + "\n"


def grid(header: list[str], rows: list[list[str]]) -> str:
    alignment = ["---", *["---:"] * (len(header) - 1)]
    lines = [header, alignment, *[[escape(cell) for cell in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullets(lines: list[str]) -> str:
    """Bullet points; what programs printed over several lines stays as they printed it."""
    points = []
    for line in lines:
        first, *rest = line.splitlines()
        points.append("\n".join([f"- {escape(first)}", *(_fenced(rest) if rest else [])]))
    return "\n".join(points)


def _fenced(lines: list[str]) -> list[str]:
    """Code within a bullet point; the fence is longer than any in the code, which could end it otherwise."""
    longest = max([2, *(len(ticks) for line in lines for ticks in re.findall("`+", line))])
    fence = "`" * (longest + 1)
    return ["", f"  {fence}text", *[f"  {line}" for line in lines], f"  {fence}"]


def escape(text: str) -> str:
    """One line of text, with the signs escaped that Markdown or HTML would take for their own."""
    text = " ".join(text.split())
    for sign in "\\`*_|[]#~":
        text = text.replace(sign, "\\" + sign)
    return text.replace("&", "&amp;").replace("<", "&lt;")
