"""Suites made or cut down for `make truth`, and plans of them for sections that load the arms themselves."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hopcost.machine import facts
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.programs import receipt
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites import read
from hopcost.suites.read import SUITES
from hopcost.suites.suite import Suite

# What belongs to an article, or to all arms of an experiment, and not to two of them.
LEFT_OUT = {"published", "published_conditions", "as_published", "control", "quick", "weight", "sweep"}


def plan_of(
    content: str, experiment: str, seed: int = 0, connections: int | None = None, time_s: float = 3600.0
) -> Plan:
    """The plan of one experiment of a suite (its name, or a file's text); quick if the time is below ten minutes."""
    suite = read.read_suite(content) if "\n" not in content else _read_text(content)
    suite = with_connections(suite, connections) if connections is not None else suite
    programs = {hop.program for arm in suite.arms.values() for hop in arm.hops}
    return make_plan(
        suite,
        [experiment],
        RunOptions(quick=time_s < 600, time_s=time_s, seed=seed),
        MachineLimits(
            installed={name: receipt.installed(name) for name in programs},
            allowed_cores=facts.allowed_cores(),
            siblings=facts.siblings(),
            open_files=raise_open_files(),
        ),
    )


def _read_text(content: str) -> Suite:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "truth.toml"
        path.write_text(content, encoding="utf-8")
        return read.read_suite(str(path))


def hop(program: str, link: str = "http+tcp", settings: str = "") -> str:
    """A hop of a suite file; `settings` is an inline table."""
    return f'{{ program = "{program}", link = "{link}"{settings and ", settings = " + settings} }}'


def suite_text(
    name: str, arms: Mapping[str, Sequence[str]], placement: str = "one-core", *, open_loop: bool = False
) -> str:
    """A suite file of one experiment. The first arm is its baseline."""
    hops = "".join(f"[arms.{arm}]\nhops = [{', '.join(chain)}]\n" for arm, chain in arms.items())
    return (
        f'name = "{name}"\ntitle = "For make truth"\n{hops}[[experiments]]\nname = "{name}"\n'
        f'question = "How far apart?"\nbaseline = "{next(iter(arms))}"\narms = {list(arms)}\n'
        f'placement = "{placement}"\nopen_loop = {toml(open_loop)}\n'
    )


def cut_suite(name: str, experiment: str, arm: str, value: object = None) -> str:
    """A shipped suite, cut down to an arm and its baseline, as a suite file. Without the open loop.

    `value` is that of the sweep's point, if the experiment has a sweep.
    """
    content = tomllib.loads((SUITES / f"{name}.toml").read_text(encoding="utf-8"))
    whole = next(table for table in content["experiments"] if table["name"] == experiment)
    if value is not None:
        _set(whole, whole["sweep"]["key"].split("."), value)
    arms = [whole["baseline"], arm]
    kept = {key: value for key, value in whole.items() if key not in LEFT_OUT}
    cut = {
        "name": f"{name}-pair",
        "title": "For make truth",
        "arms": {arm: content["arms"][arm] for arm in arms},
        "experiments": [{**kept, "arms": arms, "open_loop": False}],
    }
    return "".join(f"{key} = {toml(value)}\n" for key, value in cut.items())


def _set(table: dict[str, Any], path: Sequence[str], value: object) -> None:
    *outer, last = path
    for key in outer:
        table = table.setdefault(key, {})
    table[last] = value


def toml(value: Any) -> str:
    """A value as TOML, tables inline.

    >>> toml({"arms": ["a", "b"], "work_us": 50, "open": False})
    '{ "arms" = ["a", "b"], "work_us" = 50, "open" = false }'
    """
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def with_connections(suite: Suite, connections: int) -> Suite:
    """The suite with this many connections in every experiment.

    nginx as a proxy has two for each, and its 10,000 by default would not hold 5000 of them: it would refuse some.
    """
    replace = msgspec.structs.replace
    nginx = {"nginx": {"worker_connections": max(10_000, 4 * connections)}}
    has_nginx = any(hop.program == "nginx" for arm in suite.arms.values() for hop in arm.hops)
    experiments = [
        replace(
            experiment,
            workload=replace(experiment.workload, connections=connections),
            settings=experiment.settings | (nginx if has_nginx else {}),
        )
        for experiment in suite.experiments
    ]
    return replace(suite, experiments=experiments)
