"""What differs between both sides of a gate: settings, and lines of generated files."""

from __future__ import annotations

import shlex

import msgspec

from hopcost.record import kept_files
from hopcost.record.kept_files import COMMANDS
from hopcost.statistics.questions.gate.decision import AFTER, BEFORE
from hopcost.statistics.questions.gate.gate import GateResult
from hopcost.statistics.questions.two_records import differences
from hopcost.statistics.questions.two_records.differences import ABSENT
from hopcost.suites.arms.arm import Hop

SWITCHES = {"true": "on", "false": "off", ABSENT: "default"}


def changed_settings(answer: GateResult) -> list[str]:
    """`nginx.access_log: default → on`, `shop.folder: /main → /branch`."""
    arms = answer.record.suite.arms
    before, after = ({hop.program: _readable(hop) for hop in arms[name].hops} for name in (BEFORE, AFTER))
    return [
        f"{_key(change.key)}: {SWITCHES.get(change.a, change.a)} → {SWITCHES.get(change.b, change.b)}"
        for change in differences.diff(before, after)
    ]


def changes_in_files(answer: GateResult) -> list[str]:
    """`nginx: nginx.conf: + access_log on;`: the lines of generated files that are in one side alone."""
    before, after = (
        kept_files.kept_files(answer.record.path, answer.experiment.plan.name, name) for name in (BEFORE, AFTER)
    )
    hops = [hop.program for hop in answer.record.suite.arms[BEFORE].hops]
    return [
        f"{_file(name, hops)}: {line}"
        for name, lines in differences.differing_files(before, after).items()
        if name != COMMANDS  # settings say how commands differ
        for line in lines
    ]


def _readable(hop: Hop) -> object:
    """The hop with its app's command as it is typed."""
    builtins = msgspec.to_builtins(hop)
    if hop.app is not None:
        builtins["app"]["command"] = shlex.join(hop.app.command)
    return builtins


def _key(key: str) -> str:
    return key.replace(".settings.", ".", 1).replace(".app.", ".", 1)


def _file(name: str, hops: list[str]) -> str:
    """`nginx: nginx.conf` of `nginx.nginx.conf`: whose file it is, then what it is called."""
    hop = next((hop for hop in hops if name.startswith(f"{hop}.")), None)
    return name if hop is None else f"{hop}: {name.removeprefix(f'{hop}.')}"
