"""One arm of a suite started by itself, as `up` and `crosscheck` have it; imported by verbs when they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hopcost.machine import facts
from hopcost.plan.cores import Cores, place_cores
from hopcost.programs.build import build
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import leftovers, network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.network import HOST
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.mix import requests_of
from hopcost.suites.names import locate


@contextmanager
def running_arm(
    path: str, label: str, say: Callable[[str], None], *, isolated: bool
) -> Iterator[tuple[Experiment, RunningStack, HttpAnswer]]:
    """The arm's experiment, its running stack and its answer to the first request of the workload.

    It gets a network of its own if `isolated`, or if its surroundings need one. `say` gets a line for each program that
    is built first. ArmFailed if the arm does not start or answer.
    """
    experiment, name, content, cores = find_arm(path)
    own = [hop.program for hop in content.hops if not hop.binary and hop.app is None and hop.configuration is None]
    build.build_missing(own, build.telling(lambda name: say(f"building {name}")))
    raise_open_files()
    leftovers.remove_leftovers()
    isolated = isolated or content.link_mbit_per_s is not None or any(key.startswith("net.") for key in content.sysctls)
    if isolated:
        network.leave_the_hosts()
    host = Local(find_freezer(), network.find_network() if isolated else HOST)
    with RunningStack(name, content, experiment.settings, cores, host, label=f"{label}-{name}") as stack:
        with stack.as_client():
            first = requests_of(experiment.workload)[0]
            answer = check.ask_as_loaded(name, stack.prepared.address, first.workload)
        stack.supply.refuse_error(answer.status)
        yield experiment, stack, answer


def find_arm(path: str) -> tuple[Experiment, str, Arm, Cores]:
    """The experiment, the arm's name and itself, and its cores here; UsageError with the nearest name."""
    content, experiment, name = locate(path)
    cores = place_cores(experiment.placement, facts.allowed_cores(), facts.siblings())
    return experiment, name, experiment.surrounded(content.arms[name]), cores
