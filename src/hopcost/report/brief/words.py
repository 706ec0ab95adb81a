"""How stacks are called in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.arms.arm import Arm, Link

ALONE = " alone"
FEW_WORDS = 3
LINKS = {
    Link.HTTP_TCP: "HTTP over TCP",
    Link.HTTP_UNIX: "HTTP over a Unix socket",
    Link.FASTCGI_TCP: "FastCGI over TCP",
    Link.FASTCGI_UNIX: "FastCGI over a Unix socket",
    Link.HTTPS_TCP: "HTTPS over TCP",
    Link.HTTP2_TLS: "HTTP/2 over TLS",
}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def baseline_of(experiment: ExperimentSummary) -> ArmSummary | None:
    """The stack that the others are compared with; None if it did not run."""
    return next((arm for arm in experiment.arms if arm.name == experiment.plan.baseline), None)


def others_of(experiment: ExperimentSummary) -> list[ArmSummary]:
    """All stacks but the baseline: those with the most throughput first, those without a ratio last."""
    others = [arm for arm in experiment.arms if arm.name != experiment.plan.baseline]
    return sorted(others, key=lambda arm: -arm.ratio.value if arm.ratio is not None else 1)


def stack_word(arm: ArmSummary) -> str:
    """`Go` if its title is "Go alone"; otherwise its name, as the table has it."""
    alone = arm.title.removesuffix(ALONE)
    return alone if alone != arm.title and len(alone.split()) <= FEW_WORDS else arm.name


def hop_words(experiment: ExperimentSummary, arms: Sequence[ArmSummary]) -> tuple[str, dict[str, str]] | None:
    """The one program that all of these have in front of the baseline, and by stack how the next hop is reached.

    None if they do not have one in common. Where two are reached alike, stacks keep their names.
    """
    costs = {cost.arm: cost for cost in experiment.hop_costs if cost.without == experiment.plan.baseline}
    programs = {costs[arm.name].hop for arm in arms if arm.name in costs}
    if len(programs) != 1 or not all(arm.name in costs for arm in arms):
        return None
    planned = {arm.name: arm.arm for arm in experiment.plan.arms}
    links = {arm.name: _link(planned[arm.name]) for arm in arms}
    if len(set(links.values())) < len(links):
        links = {arm.name: arm.name for arm in arms}
    return programs.pop(), links


def _link(arm: Arm) -> str:
    return LINKS[arm.hops[1].link]


def number_word(number: int) -> str:
    """`four`, `12`."""
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def shortened(names: Sequence[str], most: int = 3) -> str:
    """As `listed`, with `2 more` in place of the names beyond `most`."""
    return listed(names) if len(names) <= most else listed([*names[: most - 1], f"{len(names) - most + 1} more"])
