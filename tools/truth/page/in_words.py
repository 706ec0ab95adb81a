"""What the page of the truth says first: of each section, in words, what holds, what does not and by how much.

It reads the section's own tables, so that those of an older method's page are told in the same way.
"""

from __future__ import annotations

import re

import msgspec

VERDICTS = ("holds", "within", "within ±3 %")  # columns with `yes`, `no`, `undecided` or `unfinished: …`
SEVERAL = re.compile(r"^Holds: (.*)\.$")  # below a table: `Holds: run: yes; quick: no.`
MOST_NAMED = 3
UNFINISHED = "unfinished"
NOT_MEASURED = " Not measured yet."


class Check(msgspec.Struct, frozen=True):
    """A line of a section's table, or of what stands below it, with its verdict."""

    name: str
    verdict: str
    figures: str = ""

    @property
    def words(self) -> str:
        """`constant, 5,000, uring: gaps 0.165`."""
        return f"{self.name}: {self.figures}" if self.figures else self.name


def told(asks: str, tells: tuple[str, ...], body: list[str]) -> str:
    """A section in words: what it asks, how many of its checks hold, and the first ones that do not.

    >>> told("Clocks agree", ("off",), ["| case | off | holds |", "| --- | ---: | --- |", "| a | 1 | yes |"])
    '**Clocks agree.** The one check holds.'
    >>> told("Clocks agree", ("off",), ["| case | off | holds |", "| --- | ---: | --- |", "| a | 9 | no |"])
    '**Clocks agree.** The one check does not hold: a: off 9.'
    """
    judged = [check for check in checks(body, tells) if not check.verdict.startswith(UNFINISHED)]
    good = [check for check in judged if check.verdict == "yes"]
    bad = [check for check in judged if check.verdict == "no"]
    if not judged:
        return f"**{asks}.**{NOT_MEASURED}"
    if len(judged) == 1:
        counted = "The one check holds" if good else f"The one check {'does not hold' if bad else 'is undecided'}"
    else:
        counted = f"{'All' if len(good) == len(judged) else len(good) or 'None'} of {len(judged)} checks hold"
        undecided = len(judged) - len(good) - len(bad)
        counted += f", {undecided} cannot be decided" if undecided else ""
    if not bad:
        return f"**{asks}.** {counted}."
    named = "; ".join(check.words for check in bad[:MOST_NAMED])
    more = f"; and {len(bad) - MOST_NAMED} more" if len(bad) > MOST_NAMED else ""
    return f"**{asks}.** {counted}{':' if len(judged) == 1 else '. Not:'} {named}{more}."


def why_unfinished(body: list[str]) -> str | None:
    """What the first check without a verdict lacks; None if every check has one.

    >>> why_unfinished(["| case | holds |", "| --- | --- |", "| a | unfinished: 4 runs over 6 of 24 hours |"])
    '4 runs over 6 of 24 hours'
    """
    verdicts = (check.verdict for check in checks(body, ()) if check.verdict.startswith(UNFINISHED))
    first = next(verdicts, None)
    return None if first is None else first.removeprefix(f"{UNFINISHED}: ")


def checks(body: list[str], tells: tuple[str, ...]) -> list[Check]:
    """All checks of a section in the order of its page. `tells` are the columns that say by how much one holds."""
    rows: list[Check] = []
    header: list[str] = []
    for line in body:
        if (several := SEVERAL.match(line)) is not None:
            pairs = [part.partition(": ") for part in several[1].split("; ")]
            rows += [_check(name, verdict) for name, _, verdict in pairs]
        if not line.startswith("| "):
            header = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not header:
            header = cells
        elif not cells[0].startswith("---") and header[-1] in VERDICTS and cells[-1] and cells[-1][0] != "(":
            rows.append(_row(header, cells, tells))
    return rows


def _row(header: list[str], cells: list[str], tells: tuple[str, ...]) -> Check:
    """Its name is what stands before its figures."""
    row = dict(zip(header, cells, strict=False))
    first = next((number for number, cell in enumerate(cells[1:], 1) if _is_figure(cell)), 1)
    name = ", ".join(cell for cell in cells[:first] if cell)
    return _check(name, cells[-1], ", ".join(f"{column} {row[column]}" for column in tells if row.get(column)))


def _check(name: str, verdict: str, figures: str = "") -> Check:
    """A `no: 2 % are resolved` is a no, and says by how much itself."""
    word, _, why = verdict.partition(": ")
    return Check(name, word, ", ".join(filter(None, [figures, why]))) if word == "no" else Check(name, verdict, figures)


def _is_figure(cell: str) -> bool:
    """`20.054`, `0.165 (0.102–0.184)`, `12 of 12`; a word or a rate is none."""
    return re.fullmatch(r"[\d.,]+(?: ms| µs| %)?(?: [(\[±o].*)?", cell) is not None and not re.fullmatch(
        r"\d{1,3},000", cell
    )
