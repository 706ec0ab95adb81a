"""A change in a few words: where it is, what it did to nginx's CPU time, and what follows."""

from __future__ import annotations

import textwrap

from hopcost.report import notation
from hopcost.report.brief.reasons import with_advice
from hopcost.statistics.questions.conf.question import FoundTrap
from hopcost.statistics.questions.conf.result import ConfResult, Finding, Worth

MENDED = "mended"
AT_A_PRICE = "at a price"
NOT_TRIED = {Worth.SCREENED, Worth.LEFT_OUT}  # in fresh starts
WORDS_MOST, PLACE_MOST = 25, 14  # letters, so that the table holds in 80 columns
COMMENT_WIDTH = 77  # behind an indent of two; an arrow is one letter more on a plain terminal


def cut(text: str, most: int) -> str:
    """At most so many letters.

    >>> cut("upstream keepalive 2 → 64", 12)
    'upstream ke…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def place(finding: Finding) -> str:
    """The first place, with a + if there are more; of a long path its end.

    >>> from hopcost.statistics.questions.conf.question import Candidate
    >>> several = Candidate("a", "b", ["conf.d/site.conf:3", "nginx.conf:9"], "c")
    >>> place(Finding(several, None, None, None, Worth.SCREENED))
    '…/site.conf:3+'
    """
    places = finding.candidate.places
    if not places:
        return ""
    text = places[0] + ("+" if len(places) > 1 else "")
    return text if len(text) <= PLACE_MOST else f"…{text[1 - PLACE_MOST :]}"


def figure(finding: Finding) -> str:
    """`−27 µs (−28 to −26)`; behind `~` if one start is all there is."""
    if finding.confirmed is not None:
        return notation.added(finding.confirmed)
    return f"~ {notation.added(finding.screened)}" if finding.screened is not None else notation.ABSENT


def outcome(answer: ConfResult, finding: Finding) -> str:
    """What came out, in a word or two."""
    if finding.candidate.name in answer.kept and answer.is_settled:
        return "in the diff"
    if has_price(finding):
        return AT_A_PRICE
    return finding.worth.value if finding.worth is not Worth.SCREENED else "one start"


def has_price(finding: Finding) -> bool:
    """Whether it saves CPU and gives up what the directive is for, so that no diff has it."""
    return finding.worth is Worth.SAVES and not finding.candidate.is_offered


def mending(answer: ConfResult, trap: FoundTrap) -> str:
    """`mended` if the diff does so; else which change would, as far as there is one."""
    if trap.is_mended or trap.change in answer.kept:
        return MENDED
    return f"{answer.of(trap.change).candidate.words} mends it" if trap.change is not None else ""


def earned(answer: ConfResult) -> list[str]:
    """A line for each change of the diff: what it earned, or which trap it mends."""
    changes = [answer.of(name) for name in answer.kept]
    lines = [
        f"{finding.candidate.words} ({', '.join(finding.candidate.places)}): {notation.added(finding.confirmed)}"
        " of nginx's CPU per request"
        for finding in changes
    ]
    return lines + [f"{trap.words} ({trap.place}): mended" for trap in answer.question.traps if trap.is_mended]


def diff_text(answer: ConfResult) -> str | None:
    """The diff with what each change earned above it: `patch -p0` takes it so."""
    if answer.diff is None:
        return None
    folder = answer.question.patch_folder
    lines = [f"patch -p0 takes it in {folder}"] if folder is not None else []
    lines += [*([] if answer.is_settled else ["as measured: there is no verdict"]), *earned(answer)]
    comments = [
        textwrap.fill(line, COMMENT_WIDTH, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)
        for line in lines
    ]
    return "".join(f"{comment}\n" for comment in comments) + answer.diff


def shared_reason(answer: ConfResult) -> str | None:
    """Why nothing has a verdict, if that is one reason."""
    tried = [finding for finding in answer.findings if finding.worth not in NOT_TRIED]
    reasons = {finding.why for finding in tried}
    return reasons.pop() if len(reasons) == 1 and tried[0].worth is Worth.NO_VERDICT else None


def no_verdicts(answer: ConfResult) -> list[str]:
    """Why changes have no verdict, and what to do."""
    reason = shared_reason(answer)
    if reason is not None:
        return [f"no verdict on any: {with_advice(reason)}"]
    return [
        f"{finding.candidate.words}: no verdict: {with_advice(finding.why)}"
        for finding in answer.findings
        if finding.worth is Worth.NO_VERDICT and finding.why is not None
    ]


def left_out(answer: ConfResult) -> list[str]:
    """The changes that were not measured with the user's app, and why."""
    return [
        f"{finding.candidate.words}: left out: {finding.why}"
        for finding in answer.findings
        if finding.worth is Worth.LEFT_OUT
    ]


def noise_line(answer: ConfResult) -> str | None:
    """How far the file as it is was from itself; None if nobody knows."""
    floor = next((experiment.aa_floor for experiment in answer.experiments if experiment.aa_floor is not None), None)
    return None if floor is None else notation.noise("the file", floor)


def interaction(answer: ConfResult) -> str | None:
    """Whether the parts add up to the whole, and how well that is known; None if nobody knows."""
    gap = answer.disagreement
    if answer.interact is None or answer.added_up is None or gap is None:
        return None
    whole, parts = notation.added(answer.together), notation.signed(answer.added_up / 1e3, 1)
    if answer.interact:
        return (
            f"The changes interact: together {whole}, one at a time they add up to {parts} µs."
            f" The gap is {notation.added(gap)}."
        )
    if answer.adds_up:
        return f"Together {whole}: as much as one at a time ({parts} µs)."
    return f"Together {whole}, one at a time {parts} µs: the gap of {notation.added(gap)} may be noise."
