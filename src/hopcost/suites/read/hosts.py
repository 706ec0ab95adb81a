"""The `Host` of requests: one of the site's names if an arm is the user's own configuration."""

from __future__ import annotations

from msgspec.structs import replace

from hopcost.errors import UsageError
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.suite import Suite


def with_hosts(suite: Suite, path: object) -> Suite:
    """The suite whose workloads name the host of their configurations, unless they name one themselves.

    UsageError if the arms of an experiment need different ones: all get the same requests.
    """
    return replace(suite, experiments=[_with_host(experiment, suite, path) for experiment in suite.experiments])


def _with_host(experiment: Experiment, suite: Suite, path: object) -> Experiment:
    workload = experiment.workload
    programs = [suite.arms[name].hops[0].program for name in experiment.arms]
    hosts = sorted({suite.configurations[name].host for name in programs if name in suite.configurations})
    if not hosts or any(name.lower() == "host" for name, _ in workload.headers):
        return experiment
    if len(hosts) > 1:
        raise UsageError(
            f"{path}: {experiment.name}: its configurations have different hosts: {', '.join(hosts)}",
            "all arms get the same requests: name one in workload.headers",
        )
    return replace(experiment, workload=replace(workload, headers=[["Host", hosts[0]], *workload.headers]))
