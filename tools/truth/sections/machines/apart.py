"""Two machines as far as one can be two: network namespaces that a pair of virtual cards joins, and what runs there."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

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

STACKS, GENERATOR = "198.18.102.1", "198.18.102.2"  # RFC 2544 sets 198.18.0.0/15 aside for benchmarks
CARD = "link0"


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
    """Both, until the end of the context. Needs root."""
    names = [f"hopcost-truth-{os.getpid()}-{place}" for place in ("s", "g")]
    stacks, generator = names
    made: list[str] = []
    try:
        for name in names:
            _ip("netns", "add", name)
            made.append(name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", stacks, "link", "add", CARD, "type", "veth", "peer", "name", CARD, "netns", generator)
        for name, address in ((stacks, STACKS), (generator, GENERATOR)):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", CARD)
            _ip("-n", name, "link", "set", CARD, "up")
        yield Apart(*(str(Path("/run/netns", name)) for name in names))
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
