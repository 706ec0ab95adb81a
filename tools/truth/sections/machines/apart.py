"""Two machines as far as one can be two: network namespaces that a pair of virtual cards joins, and what runs there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.measure.fleet.agent import Agent
from hopcost.measure.fleet.authority import make_certificates
from hopcost.measure.load.arm import engine_arm
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators import engine
from hopcost.programs.generators.agent import AgentOrder
from hopcost.programs.generators.engine_lines import End, Line, Validity
from hopcost.programs.generators.engine_plan import EngineArm, EnginePlan
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import namespaces
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.network import HOST

STACKS = namespaces.STACK


class Apart(msgspec.Struct, frozen=True):
    """The files of both namespaces, for `namespaces.inside`."""

    stacks: str
    generator: str

    def start(self, experiment: PlannedExperiment, name: str, running: contextlib.ExitStack) -> EngineArm:
        """Start an arm's stack, which listens on its machine's address; as the engine's plan names it."""
        (planned,) = (arm for arm in experiment.arms if arm.name == name)
        host = Local(find_freezer(), HOST, STACKS)
        with namespaces.inside(self.stacks):
            arguments = (name, planned.arm, experiment.settings, experiment.cores, host)
            stack = running.enter_context(RunningStack(*arguments, label=f"truth-{name}"))
            answer = check.ask_as_loaded(name, stack.prepared.address, experiment.workload)
            return engine_arm(stack, experiment.workload, [answer])

    def agent(self, order: AgentOrder, cores: Sequence[int]) -> Agent:
        """An agent beside the stacks that listens."""
        with namespaces.inside(self.stacks):
            return Agent(order, cores)

    def load(self, plan: EnginePlan) -> list[Line]:
        """The lines of an engine on the generator's machine. MeasurementFailed if it calls the load void."""
        with namespaces.inside(self.generator):
            lines = list(engine.run_engine(plan))
        ends = [line for line in lines if isinstance(line, End)]
        if not ends or ends[0].validity == Validity.VOID:
            raise MeasurementFailed(f"the load is void: {ends}")
        return lines


def write_certificates(folder: Path, names: Iterable[str]) -> None:
    """Of an authority made for them."""
    for name, content in make_certificates(names).items():
        (folder / name).write_bytes(content)


@contextlib.contextmanager
def apart() -> Iterator[Apart]:
    """Both, until the end of the context. They have no names, so none is left behind. Needs root."""
    with _namespace() as stacks, _namespace() as generator:
        with namespaces.inside(_path(stacks)):
            namespaces.join(generator.fileno(), None)
        yield Apart(_path(stacks), _path(generator))


def _namespace() -> BinaryIO:
    """A new one, which lives as long as the file or a process in it."""
    with namespaces.inside(namespaces.OWN):  # so the thread comes back here
        namespaces.make()
        return Path(namespaces.OWN).open("rb")


def _path(namespace: BinaryIO) -> str:
    return f"/proc/{os.getpid()}/fd/{namespace.fileno()}"
