"""One arm of a suite started by itself, as `up` and `crosscheck` have it; imported by verbs when they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hopcost import arm_path, check, leavings, network, program
from hopcost.check import Answer
from hopcost.network import HOST
from hopcost.sandbox import Ports, find_freezer, raise_open_files
from hopcost.stack import RunningStack
from hopcost.suite import Experiment


@contextmanager
def running(
    path: str, label: str, say: Callable[[str], None], *, isolated: bool
) -> Iterator[tuple[Experiment, RunningStack, Answer]]:
    """The arm's experiment, its running stack and its answer to a request of the workload.

    A network of its own has what is `isolated`, and an arm whose surroundings need one. `say` hears of programs that
    are built first. ArmFailed when it does not start or answer.
    """
    experiment, name, content, cores = arm_path.find(path)
    program.build_missing([hop.program for hop in content.hops if not hop.binary], say)
    raise_open_files()
    leavings.clean()
    isolated = isolated or content.link_mbit_per_s is not None or any(key.startswith("net.") for key in content.sysctls)
    if isolated:
        network.leave_the_hosts()
    with RunningStack(
        name,
        content,
        experiment.settings,
        cores,
        find_freezer(),
        Ports(),
        label=f"{label}-{name}",
        network=network.find() if isolated else HOST,
    ) as stack:
        with stack.as_client():
            answer = check.ask_as_loaded(name, stack.prepared.address, experiment.workload)
        yield experiment, stack, answer
