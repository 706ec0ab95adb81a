"""What arms got of their surroundings, each thing said once, with the arms (and a sweep's values) that it holds for."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.summary.usage import ArmSurroundings
from hopcost.suites.published import label

Holders = frozenset[tuple[str, str]]  # (value of the sweep, arm)


def surroundings_lines(group: list[ExperimentSummary]) -> list[str]:
    """Sysctls that the same arms have in one line; notes; links with what a plain transfer came to."""
    found = {
        (_value(each), arm.arm): arm for each in group for arm in each.surroundings
    }  # in the order of values and arms
    everyone = list(found)
    said = [
        f"{_who(holders, everyone)}: read back: {', '.join(facts)}"
        for holders, facts in _together(_held(found)).items()
    ]
    notes: dict[str, list[tuple[str, str]]] = {}
    links: dict[int, list[tuple[str, str]]] = {}
    for key, arm in found.items():
        for note in arm.notes:
            notes.setdefault(note, []).append(key)
        if arm.link_mbit_per_s is not None:
            links.setdefault(arm.link_mbit_per_s, []).append(key)
    said += [f"{_who(noted, everyone)}: {'; '.join(each)}" for noted, each in _together(notes).items()]
    for rate, linked in links.items():
        seen = formatting.span([bits / 1e6 for key in linked for bits in found[key].link_bits_per_s])
        who = _who(frozenset(linked), everyone)
        said.append(f"{who}: a link of {rate} Mbit/s; a plain transfer before load came to {seen} Mbit/s")
    return [f"note: {line}" for line in said]


def _together(facts: dict[str, list[tuple[str, str]]]) -> dict[Holders, list[str]]:
    """Facts by who they hold for."""
    made: dict[Holders, list[str]] = {}
    for fact, holders in facts.items():
        made.setdefault(frozenset(holders), []).append(fact)
    return made


def _held(found: dict[tuple[str, str], ArmSurroundings]) -> dict[str, list[tuple[str, str]]]:
    """`sysctl = value` → who has it so."""
    holders: dict[str, list[tuple[str, str]]] = {}
    for key, arm in found.items():
        for name, value in arm.sysctls.items():
            holders.setdefault(f"{name} = {value}", []).append(key)
    return holders


def _who(holders: Holders, everyone: list[tuple[str, str]]) -> str:
    """`every arm`, `a, b`, `at 10, 100: a`, or one of these for each value."""
    values = list(dict.fromkeys(value for value, _ in everyone))
    arms = {value: _arms(value, holders, everyone) for value in values if any(value == each for each, _ in holders)}
    by_arms: dict[str, list[str]] = {}
    for value, names in arms.items():
        by_arms.setdefault(names, []).append(value)
    return "; ".join(
        names if len(those) == len(values) else f"at {', '.join(those)}: {names}" for names, those in by_arms.items()
    )


def _arms(value: str, holders: Holders, everyone: list[tuple[str, str]]) -> str:
    at_value = [arm for each, arm in everyone if each == value]
    those = [arm for arm in at_value if (value, arm) in holders]
    return "every arm" if len(those) == len(at_value) > 1 else ", ".join(those)


def _value(each: ExperimentSummary) -> str:
    return "" if each.plan.point is None else label(each.plan.point.value)
