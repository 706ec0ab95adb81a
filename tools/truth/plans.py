"""Plans of suites, for sections that load the arms themselves."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from hopcost.machine import facts
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan
from hopcost.programs import receipt
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites import read
from hopcost.suites.suite import Suite


def plan_of(
    content: str, experiment: str, seed: int = 0, connections: int | None = None, budget_s: float = 3600.0
) -> Plan:
    """The plan of one experiment of a suite (its name, or a file's text); quick if the budget is below ten minutes."""
    suite = read.read_suite(content) if "\n" not in content else _read_text(content)
    suite = with_connections(suite, connections) if connections is not None else suite
    programs = {hop.program for arm in suite.arms.values() for hop in arm.hops}
    return make_plan(
        suite,
        [experiment],
        RunOptions(quick=budget_s < 600, budget_s=budget_s, seed=seed),
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
