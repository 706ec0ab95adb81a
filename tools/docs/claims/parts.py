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

AGAINST = "against"
# A row of the plain runs: the claim, its outcome, and at the end what wrk and h2load say to it.
PLAIN_RUN = re.compile(rf"^\| [a-z0-9-]+ \| (holds|does not hold) \| .* \| {AGAINST} \|$", re.MULTILINE)
OUTCOME = re.compile(r"^\| (holds|does not hold|not settled|not testable) \|", re.MULTILINE)


def write(page: Path, suite: Suite, records: Sequence[Record]) -> None:
    """Judge the suite's claims by these records into its part of the page, and count all claims of the page anew."""
    whole = replace_part(page.read_text(encoding="utf-8"), suite.name, judged(suite, records))
    page.write_text(replace_part(whole, "all", counted(whole)), encoding="utf-8")


def judged(suite: Suite, records: Sequence[Record]) -> str:
    """How many hold, by what they were measured, each with its figure, and all comparisons folded."""
    (_, count), (_, claims), _, details = document(judge_claims(suite, records)).sections
    return fill(markdown(Document([[count, Lines([measured_by(suite.name, records)])], [claims], details])))


def measured_by(suite: str, records: Sequence[Record]) -> str:
    """By which method, when and where; the suite's page of results has the rest."""
    starts = [record.run.started_utc for record in records]
    when = " to ".join(dict.fromkeys([min(starts), max(starts)]))
    run, places = records[0].run, ", ".join(dict.fromkeys(map(head.where, records)))
    return (
        f"hopcost {run.hopcost}, method {run.method}, {when}; {places}; versions of programs and digests of records:"
        f" {suite}.md"
    )


def counted(page: str) -> str:
    """The sentence over all claims of the page, whenever they were judged.

    Nothing is decided against what wrk and h2load both say of one arm at a time.
    """
    of, against = Counter(OUTCOME.findall(page)), Counter(PLAIN_RUN.findall(page))
    of.subtract(against)
    of["not settled"] += against.total()
    counted = (
        f"Of {of.total()} claims {of['holds']} hold here, {of['does not hold']} do not,"
        f" {of['not settled']} are not settled and {of['not testable']} cannot be tested here."
    )
    if against:
        counted += f" Of those not settled {against.total()} would be decided against what wrk and h2load both say."
    return fill(counted)
