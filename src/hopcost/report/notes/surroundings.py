"""What arms got of their surroundings: each fact once, with the arms (and a sweep's values) that it holds for."""

from __future__ import annotations

from collections.abc import Iterable

from hopcost.report import formatting
from hopcost.report.formatting import swept_value
from hopcost.statistics.summary.summary import ExperimentSummary

Holder = tuple[str, str]  # the value of the sweep, the arm


def surroundings_lines(group: list[ExperimentSummary]) -> list[str]:
    """Sysctls in one line if the same arms have them; then notes; then links with the rate of plain transfers."""
    surroundings = {(swept_value(experiment), arm.arm): arm for experiment in group for arm in experiment.surroundings}
    everyone, arms = list(surroundings), surroundings.items()  # in the order of values and arms
    sysctls = _holders((f"{name} = {value}", key) for key, arm in arms for name, value in arm.sysctls.items())
    lines = [f"{who}: read back: {', '.join(facts)}" for who, facts in _by_holders(sysctls, everyone)]
    notes = _holders((note, key) for key, arm in arms for note in arm.notes)
    lines += [f"{who}: {'; '.join(facts)}" for who, facts in _by_holders(notes, everyone)]
    links = _holders((f"{arm.link_mbit_per_s}", key) for key, arm in arms if arm.link_mbit_per_s is not None)
    for rate, holders in links.items():
        transfers = formatting.span([bits / 1e6 for key in holders for bits in surroundings[key].link_bits_per_s])
        who = _who(holders, everyone)
        lines.append(f"{who}: a link of {rate} Mbit/s; a plain transfer before load came to {transfers} Mbit/s")
    return lines


def _holders(facts: Iterable[tuple[str, Holder]]) -> dict[str, list[Holder]]:
    """Fact → the arms that it holds for."""
    holders: dict[str, list[Holder]] = {}
    for fact, holder in facts:
        holders.setdefault(fact, []).append(holder)
    return holders


def _by_holders(holders_by_fact: dict[str, list[Holder]], everyone: list[Holder]) -> list[tuple[str, list[str]]]:
    """The arms in words, with the facts that hold for exactly these arms."""
    facts: dict[frozenset[Holder], list[str]] = {}
    for fact, holders in holders_by_fact.items():
        facts.setdefault(frozenset(holders), []).append(fact)
    return [(_who(holders, everyone), texts) for holders, texts in facts.items()]


def _who(holders: Iterable[Holder], everyone: list[Holder]) -> str:
    """`every stack`, `a, b`, `at 10, 100: a`, or several of these."""
    holders = set(holders)
    values = list(dict.fromkeys(value for value, _ in everyone))
    values_by_arms: dict[str, list[str]] = {}
    for value in values:
        if any(holder_value == value for holder_value, _ in holders):
            values_by_arms.setdefault(_arms(value, holders, everyone), []).append(value)
    return "; ".join(
        arms if len(at) == len(values) else f"at {', '.join(at)}: {arms}" for arms, at in values_by_arms.items()
    )


def _arms(value: str, holders: set[Holder], everyone: list[Holder]) -> str:
    """The arms that hold it at this value."""
    candidates = [holder for holder in everyone if holder[0] == value]
    arms = [arm for value, arm in candidates if (value, arm) in holders]
    return "every stack" if len(arms) == len(candidates) > 1 else ", ".join(arms)
