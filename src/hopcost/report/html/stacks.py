"""What stands behind each arm: its hops in order with what each costs, its settings, its generated configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from hopcost.record import kept_files
from hopcost.record.kept_files import COMMANDS
from hopcost.report import formatting
from hopcost.report.formatting import ABSENT
from hopcost.report.tables import experiment
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.arm import Arm
from hopcost.suites.published import label

COLOURS = 7  # of the page


@dataclass(frozen=True)
class HopBox:
    """A hop in the picture; `cost` is CPU per request in µs with its unit, or a dash; `colour` counts from 1."""

    link: str
    program: str
    copies: int
    cost: str
    is_origin: bool
    colour: int


@dataclass(frozen=True)
class StackPicture:
    """One arm's way from the client to the origin; `total` is all hops' CPU per request."""

    arm: str
    title: str
    hops: list[HopBox]
    total: str
    is_baseline: bool


@dataclass(frozen=True)
class Behind:
    """An arm's settings as lines, and its files: (name, text), the text empty where `same_as` names where it stands."""

    arm: str
    settings: list[str]
    files: list[tuple[str, str, str]]


def load_shown(each: ExperimentSummary) -> tuple[float | None, str]:
    """The share of capacity whose CPU times the pictures show (None: saturation), and how that is called."""
    loads = [(load.share, load.rate_per_s) for arm in each.arms for load in arm.open_loop]
    if not loads:
        return None, "at saturation"
    share, rate_per_s = max(loads)
    return share, f"at {rate_per_s:,.0f} requests/s offered"


def pictures(each: ExperimentSummary) -> list[StackPicture]:
    """One for each arm that was measured, in the plan's order."""
    share, _ = load_shown(each)
    planned = {arm.name: arm.arm for arm in each.plan.arms}
    return [_picture(each, arm, planned[arm.name], share) for arm in each.arms]


def _picture(each: ExperimentSummary, arm: ArmSummary, content: Arm, share: float | None) -> StackPicture:
    used = arm.cpu_at(share)
    names = [hop for hop in used if hop != "generator"]  # the client's side first
    costs = [used[name] for name in names]
    known = len(costs) == len(content.hops)
    boxes = [
        HopBox(
            link=hop.link.value,
            program=hop.program,
            copies=hop.copies,
            cost=_us(costs[number] if known else None),
            is_origin=number == len(content.hops) - 1,
            colour=_colour(each, names[number] if known else ""),
        )
        for number, hop in enumerate(content.hops)
    ]
    total = _us(cpu_of_hops(used))
    return StackPicture(arm.name, arm.title, boxes, total, arm.name == each.plan.baseline)


def _colour(each: ExperimentSummary, hop: str) -> int:
    known = experiment.hops_of(each)
    return known.index(hop) % COLOURS + 1 if hop in known else COLOURS


def _us(ns: int | None) -> str:
    return ABSENT if ns is None else f"{formatting.microseconds(ns)} µs"


def behind(each: ExperimentSummary, record: Path, seen: dict[str, str]) -> list[Behind]:
    """Settings and files of every arm; `seen` (text → where it stood first) grows, so that nothing is shown twice."""
    found = []
    for planned in each.plan.arms:
        if planned.copy_of is not None:
            continue
        files = []
        kept = kept_files.read_kept_files(record, each.plan.name, planned.name)
        if COMMANDS in kept:  # first of all
            kept = {COMMANDS: _commands(kept.pop(COMMANDS))} | kept
        for name, text in kept.items():
            place = f"{each.plan.name}/{planned.name}: {name}"
            first = seen.setdefault(text, place)
            files.append((name, text if first == place else "", "" if first == place else first))
        found.append(Behind(planned.name, _settings(planned.arm), files))
    return found


def _commands(text: str) -> str:
    """A line for each hop's command; the text itself where it is not what a run writes."""
    try:
        hops = msgspec.json.decode(text, type=list[dict[str, object]])
    except msgspec.DecodeError:
        return text
    return "\n".join(" ".join(map(str, command)) for hop in hops if isinstance(command := hop.get("command"), list))


def _settings(arm: Arm) -> list[str]:
    lines = []
    for hop in arm.hops:
        given = {"config": hop.config, "binary": hop.binary}
        named = {name: value for name, value in given.items() if value is not None} | hop.settings
        own = ", ".join(f"{name} = {label(value)}" for name, value in named.items()) or "as its defaults are"
        times = f" × {hop.copies}" if hop.copies > 1 else ""
        lines.append(f"{hop.program}{times} over {hop.link.value}: {own}")
    lines += [f"{name} = {value}" for name, value in arm.sysctls.items()]
    if arm.open_files is not None:
        lines.append(f"open files: {arm.open_files:,}")
    if arm.link_mbit_per_s is not None:
        lines.append(f"link: {arm.link_mbit_per_s:,} Mbit/s")
    return lines
