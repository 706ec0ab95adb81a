"""docs/results/claims.md: a part for each suite, by the records that its own page was made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hopcost.record.contents.run import Record
from hopcost.report.document import Document, Lines
from hopcost.report.formats.markdown import markdown
from hopcost.report.notes import head
from hopcost.report.questions.claims.document import document
from hopcost.statistics.questions.claims.claims import judge_claims
from hopcost.suites.suite import Suite
from tools.markdown import fill, replace_part

OUTCOME = re.compile(r"^\| (holds|does not hold|not settled|not testable) \|", re.MULTILINE)


def write(page: Path, suite: Suite, records: Sequence[Record]) -> None:
    """Judge the suite's claims by these records into its part of the page, and count all claims of the page anew."""
    whole = replace_part(page.read_text(encoding="utf-8"), suite.name, judged(suite, records))
    page.write_text(replace_part(whole, "all", counted(whole)), encoding="utf-8")


def judged(suite: Suite, records: Sequence[Record]) -> str:
    """How many hold, by what they were measured, each with its figure, and all comparisons folded."""
    (_, count), (_, claims), _, details = document(judge_claims(suite, records)).sections
    first = min(records, key=lambda record: record.run.started_utc)
    return fill(markdown(Document([[count, Lines(head.about(first))], [claims], details])))


def counted(page: str) -> str:
    """The sentence over all claims of the page, whenever they were judged."""
    of = Counter(OUTCOME.findall(page))
    return fill(
        f"Of {of.total()} claims {of['holds']} hold here, {of['does not hold']} do not,"
        f" {of['not settled']} are not settled and {of['not testable']} cannot be tested on two cores."
    )
