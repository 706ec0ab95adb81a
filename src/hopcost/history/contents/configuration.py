"""Which records measured the same thing: a digest of an arm and its baseline under their load, as planned.

What a team changes from one record to the next is not in it: versions, its app's files, its nginx.conf. Nor is what
hopcost learned of them, nor where on this machine they lie.
"""

from __future__ import annotations

import hashlib
from pathlib import PurePath

import msgspec

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.arms.server import RunningServer

FEWER_CONNECTIONS = "connections_asked"


def configuration_of(plan: Plan, experiment: PlannedExperiment, arm: str) -> str:
    """SHA-256, in hex."""
    stacks = {planned.name: planned.arm for planned in experiment.arms}
    cores = experiment.cores
    programs = {hop.program for name in (arm, experiment.baseline) for hop in stacks[name].hops}
    content = {
        "arm": _stack(stacks[arm]),
        "baseline": _stack(stacks[experiment.baseline]),
        "settings": {program: of for program, of in experiment.settings.items() if program in programs},
        "cores": [len(cores.stack), len(cores.generator), cores.shared],
        "workload": _workload(experiment),
        "turns": experiment.turns,
        "scope": experiment.scope,
        "slices_ns": [experiment.settle_ns, experiment.slice_ns],  # short ones misread hops: explain/method-why.md
        "restart": experiment.restart,
        "generator": [plan.peer, plan.as_published],
    }
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


def _workload(experiment: PlannedExperiment) -> dict[str, object]:
    """Without the answer that is expected: of a real app it is learned, and changes with it."""
    content: dict[str, object] = msgspec.to_builtins(experiment.workload)
    del content["expect"]
    return content | {FEWER_CONNECTIONS: experiment.connections_asked}


def _stack(arm: Arm) -> dict[str, object]:
    return {
        "hops": [_hop(hop) for hop in arm.hops],
        "settings": arm.settings,
        "sysctls": arm.sysctls,
        "open_files": arm.open_files,
        "link_mbit_per_s": arm.link_mbit_per_s,
        "server": None if arm.server is None else _server(arm.server),
    }


def _hop(hop: Hop) -> dict[str, object]:
    return {
        "program": hop.program,
        "link": hop.link,
        "settings": hop.settings,
        "port": hop.port,
        "copies": hop.copies,
        "last_copy": hop.last_copy,
        "config": _name(hop.config),
        "binary": _name(hop.binary),
        "app": None if hop.app is None else _app(hop.app),
        "configuration": None if hop.configuration is None else _nginx(hop.configuration),
    }


def _app(app: App) -> list[object]:
    return [app.command, sorted(app.environment), app.port]


def _nginx(configuration: Configuration) -> list[object]:
    return [_name(configuration.file), configuration.port, configuration.host]


def _server(server: RunningServer) -> list[object]:
    return [server.url, server.link, server.host, server.target, server.method, server.verify, server.freeze]


def _name(path: str | None) -> str | None:
    """A runner of a CI has its files in another folder each time."""
    return None if path is None else PurePath(path).name
