"""The head of a record's report: what ran, where, what the record lacks, and the suite's own words."""

from __future__ import annotations

import re

from hopcost.errors import printable
from hopcost.record.run import Record


def head(record: Record) -> list[str]:
    """All lines of the head; the title comes first."""
    return [title(record), *about(record), *warnings(record), *analysis(record)]


def title(record: Record) -> str:
    """The suite's title and name."""
    plan = record.plan
    return printable(f"{plan.title} ({plan.suite}{', quick' if plan.quick else ''})")


def about(record: Record) -> list[str]:
    """What ran, by which method, when and where."""
    environment = record.environment
    return [
        printable(
            f"hopcost {record.run.hopcost}, method {record.run.method}, {record.run.started_utc},"
            f" seed {record.plan.seed}; "
            f"{environment.get('cpu') or 'unknown CPU'}, {_cores(environment)}, kernel {environment.get('kernel')}"
        )
    ]


def warnings(record: Record) -> list[str]:
    """What the record lacks."""
    lines = []
    if record.run.ended_utc is None:
        lines.append("the run did not end by itself: what follows is what it had done")
    lines += [f"warning: {warning}" for warning in record.warnings]
    lines += [f"left out: experiment {left_out.words()}" for left_out in record.plan.left_out]
    return [printable(line) for line in lines]


def analysis(record: Record) -> list[str]:
    """The suite's own words on what it asks, a string for each paragraph."""
    paragraphs = re.split(r"\n\s*\n", record.plan.analysis)
    return [printable(" ".join(words.split())) for words in paragraphs if words.strip()]


def _cores(environment: dict[str, object]) -> str:
    allowed = environment.get("allowed_cores")
    return f"{len(allowed)} cores" if isinstance(allowed, list) else "unknown cores"
