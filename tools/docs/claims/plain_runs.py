"""Plain runs beside the articles' claims: both arms of each decided comparison of throughput, one arm at a time.

`python -m tools.docs.claims.plain_runs SUITE...` starts one arm, loads it with hopcost's engine, wrk and h2load, ends
it, and does the same with the other: no turns between the arms, no range. What comes out stands below the suite's
claims, beside their own figures; that of hopcost's engine tells what the hour changes from what the generator does.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import msgspec

from hopcost.report import notation
from hopcost.report.questions.claims.words import measured_words, sides
from hopcost.statistics.questions.claims.claims import judge_claims
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.statistics.questions.claims.result import DECIDED, ClaimResult
from hopcost.statistics.questions.crosscheck import OURS
from hopcost.suites import read
from hopcost.suites.articles.claim import ClaimFigure
from tools.docs.claims.parts import AGAINST
from tools.docs.results import pieces
from tools.markdown import fill, replace_part, table

PEERS = ("wrk", "h2load")
GENERATORS = (OURS, *PEERS)
COLUMNS = ["claim", "outcome", "compared", "in turns:", *(f"{name}:" for name in GENERATORS), "wrk and h2load"]
LENGTH = ("--rounds", "2", "--seconds", "4")  # a turn of each generator against an arm that runs


class Tool(msgspec.Struct, frozen=True):
    """What one generator counted, answers per second."""

    name: str
    per_s: float


class Crosscheck(msgspec.Struct, frozen=True):
    """What is read of `hopcost crosscheck --json`."""

    tools: list[Tool]


def main() -> None:
    """Run them for each suite that is named, and write its table."""
    for name in sys.argv[1:]:
        claims = judge_claims(read.read_suite(name), [record for _, record in pieces.made(name)])
        part = markdown([claim for claim in claims if is_of_throughput(claim)], name)
        page = pieces.CLAIMS.read_text(encoding="utf-8")
        pieces.CLAIMS.write_text(replace_part(page, f"{name}, plain runs", part), encoding="utf-8")


def is_of_throughput(claim: ClaimResult) -> bool:
    """Whether it is decided, and a ratio of two arms' throughput tells."""
    telling = claim.telling
    return claim.outcome in DECIDED and telling.test.figure is ClaimFigure.THROUGHPUT and telling.measured is not None


def markdown(claims: list[ClaimResult], suite: str) -> str:
    """A row for each claim: hopcost's ratio, and each generator's with the two figures that it is made of."""
    if not claims:
        return "None of its decided claims is about throughput."
    rows = []
    for claim in claims:
        telling = claim.telling
        arm, to = (loaded(f"{suite}/{telling.experiment}/{name}") for name in (telling.test.arm, telling.to))
        ratios = {name: arm[name] / to[name] for name in GENERATORS if arm.get(name) and to.get(name)}
        shown = [_words(ratios.get(name), arm.get(name), to.get(name)) for name in GENERATORS]
        compared = f"{sides(telling)} in {telling.experiment}"
        outcome = claim.outcome.value
        said = AGAINST if are_against(claim, ratios) else ""
        rows.append([claim.claim.name, outcome, compared, measured_words(telling), *shown, said])
    return fill(
        "In turns, as above, and by one plain run of each arm, one arm at a time (–: a generator failed). *Against*:"
        f" wrk and h2load both say the opposite, so the claim counts as not settled.\n\n{table(COLUMNS, rows)}"
    )


def are_against(claim: ClaimResult, ratios: dict[str, float]) -> bool:
    """Whether wrk's and h2load's ratios both lie on the other side of what is claimed than the outcome says."""
    low, high = claim.telling.test.bounds
    fit = {low <= ratios[name] <= high for name in PEERS if name in ratios}
    return all(name in ratios for name in PEERS) and fit == {claim.outcome is ClaimOutcome.DOES_NOT_HOLD}


def _words(ratio: float | None, arm: float | None, to: float | None) -> str:
    """`53 % (3,690/s ÷ 6,960/s)`."""
    if ratio is None or arm is None or to is None:
        return notation.ABSENT
    return f"{100 * ratio:.0f} % ({notation.rate(arm)}/s ÷ {notation.rate(to)}/s)"


@cache
def loaded(arm: str) -> dict[str, float]:
    """What each generator counted of this arm alone, answers per second; nothing of one that could not load it."""
    print(f"hopcost crosscheck {arm}", flush=True)
    command = [str(pieces.HOPCOST), "crosscheck", arm, *LENGTH, "--json"]
    ended = subprocess.run(command, check=False, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=pieces.ROOT)
    if ended.returncode != 0:
        return {}
    return {tool.name: tool.per_s for tool in msgspec.json.decode(ended.stdout, type=Crosscheck).tools}


if __name__ == "__main__":
    main()
