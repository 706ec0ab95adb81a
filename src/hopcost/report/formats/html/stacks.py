"""The stack of each arm: its hops in order with their cost, its settings, its generated configuration."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hopcost.errors import printable
from hopcost.record import kept_files
from hopcost.record.kept_files import COMMANDS
from hopcost.report import formatting
from hopcost.report.brief.load import load_shown
from hopcost.report.brief.words import baseline_of, others_of
from hopcost.report.formatting import ABSENT
from hopcost.report.tables.experiment import hops_of
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.arms.arm import Arm
from hopcost.suites.articles.published import label

COLOURS = 7  # of the page


@dataclass(frozen=True)
class HopBox:
    """A hop in the picture; `cost` is CPU per request in µs with its unit, or a dash; `colour` counts from 1.

    `start` and `width` of its part of the bar are in per cent of the bar of the stack that takes the most.
    """

    link: str
    program: str
    copies: int
    cost: str
    is_origin: bool
    colour: int
    start: float = 0.0
    width: float = 0.0


@dataclass(frozen=True)
class StackPicture:
    """One arm's way from the client to the origin; `total` is all hops' CPU per request."""

    arm: str
    hops: list[HopBox]
    total: str


@dataclass(frozen=True)
class Behind:
    """An arm's settings as lines, and its files: (name, text, same_as).

    `same_as` names the place of a text that the page shows already; `text` is empty then.
    """

    arm: str
    title: str
    settings: list[str]
    files: list[tuple[str, str, str]]


def pictures(experiment: ExperimentSummary) -> list[StackPicture]:
    """A picture for each measured arm, in the order of the answer's bars and at the load that it is about."""
    share = load_shown(experiment).share
    planned = {arm.name: arm.arm for arm in experiment.plan.arms}
    totals_ns = [cpu_of_hops(arm.cpu_at(share)) for arm in experiment.arms]
    most_ns = max((total for total in totals_ns if total is not None), default=0)
    arms = [arm for arm in (baseline_of(experiment), *others_of(experiment)) if arm is not None]
    return [_picture(experiment, arm, planned[arm.name], share, most_ns) for arm in arms]


def _picture(
    experiment: ExperimentSummary, arm: ArmSummary, content: Arm, share: float | None, most_ns: int
) -> StackPicture:
    cpu_ns = arm.cpu_at(share)
    names = [hop for hop in cpu_ns if hop != "generator"]  # the client's side first, then what an app needs
    is_known = len(names) >= len(content.hops) and all(hop.copies == 1 for hop in content.hops)
    boxes, before_ns = [], 0
    for number, hop in enumerate(content.hops):
        own_ns = cpu_ns[names[number]] if is_known else None
        boxes.append(
            HopBox(
                link=hop.link.value,
                program=hop.program,
                copies=hop.copies,
                cost=_us(own_ns),
                is_origin=number == len(content.hops) - 1,
                colour=_colour(experiment, names[number] if is_known else ""),
                start=_per_cent(before_ns, most_ns),
                width=_per_cent(own_ns or 0, most_ns),
            )
        )
        before_ns += own_ns or 0
    total = _us(cpu_of_hops(cpu_ns))
    return StackPicture(arm.name, boxes, total)


def _per_cent(part_ns: int, most_ns: int) -> float:
    return round(100 * part_ns / most_ns, 1) if most_ns else 0.0


def _colour(experiment: ExperimentSummary, hop: str) -> int:
    hops = hops_of(experiment)
    return hops.index(hop) % COLOURS + 1 if hop in hops else COLOURS


def _us(ns: int | None) -> str:
    return ABSENT if ns is None else f"{formatting.microseconds(ns)} µs"


def behind(experiment: ExperimentSummary, record: Path, places: dict[str, str]) -> list[Behind]:
    """Settings and files of every arm. `places` (text → its first place) grows, so that no text comes twice."""
    arms = []
    for planned in experiment.plan.arms:
        if planned.copy_of is not None:
            continue
        files = []
        kept = kept_files.read_kept_files(record, experiment.plan.name, planned.name)
        if COMMANDS in kept:  # commands come first
            kept = {COMMANDS: _commands(kept.pop(COMMANDS))} | kept
        for name, text in kept.items():
            place = f"{experiment.plan.name}/{planned.name}: {name}"
            first = places.setdefault(text, place)
            files.append((name, text if first == place else "", "" if first == place else first))
        arms.append(Behind(planned.name, printable(planned.arm.title), _settings(planned.arm), files))
    return arms


def _commands(text: str) -> str:
    """A line for each hop's command. A text that is no list of commands stays as it is."""
    try:
        hops = msgspec.json.decode(text, type=list[dict[str, object]])
    except msgspec.DecodeError:
        return text
    return "\n".join(" ".join(map(str, command)) for hop in hops if isinstance(command := hop.get("command"), list))


def _settings(arm: Arm) -> list[str]:
    lines = []
    for hop in arm.hops:
        files = {"config": hop.config, "binary": hop.binary}
        settings = {name: value for name, value in files.items() if value is not None} | hop.settings
        words = ", ".join(f"{name} = {label(value)}" for name, value in settings.items()) or "as its defaults are"
        if hop.app is not None:
            words = shlex.join(hop.app.command)
        if hop.configuration is not None:
            words = f"{hop.configuration.file}, edits: {len(hop.configuration.edits)}"
        times = f" × {hop.copies}" if hop.copies > 1 else ""
        lines.append(f"{hop.program}{times} over {hop.link.value}: {words}")
    lines += [f"{name} = {value}" for name, value in arm.sysctls.items()]
    if arm.open_files is not None:
        lines.append(f"open files: {arm.open_files:,}")
    if arm.link_mbit_per_s is not None:
        lines.append(f"link: {arm.link_mbit_per_s:,} Mbit/s")
    return lines
