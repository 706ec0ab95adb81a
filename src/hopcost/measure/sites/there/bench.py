"""The site as it measures: its host, its generators, and the blocks that are asked for."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec

from hopcost.machine import binaries
from hopcost.machine.proc import line_of, read_text
from hopcost.measure import loop, quiet, run
from hopcost.measure.blocks.next_block import NextBlock
from hopcost.measure.fleet.ssh.names import Access, Elsewhere
from hopcost.measure.load.context import BlockContext
from hopcost.measure.rig import RealRig
from hopcost.measure.sites.messages import (
    GeneratorsOrder,
    Measure,
    Measured,
    Open,
    Opened,
    StackFiles,
    Watch,
    Watched,
)
from hopcost.measure.watcher import Silent, Watcher
from hopcost.plan.options import RunOptions
from hopcost.plan.plan import Plan
from hopcost.programs.definition.definition import Installed
from hopcost.record.contents.block import Block
from hopcost.record.contents.repeat import Repeat
from hopcost.record.kept_files import KeptCommand
from hopcost.stacks.sandbox.leftovers import Leftover
from hopcost.stacks.sandbox.network import Network

OWN = ("hopcost-engine", "hopcost-origin")
VULNERABILITIES = Path("/sys/devices/system/cpu/vulnerabilities")

Tell = Callable[[str, str], None]


class Bench:
    """Opened once, then asked for blocks; `tell` hears which arm does what."""

    def __init__(self, folder: Path, tell: Tell) -> None:
        self._folder, self._tell = folder, tell
        self._open = contextlib.ExitStack()
        self._rig: RealRig | None = None
        self._site = ""
        self._kept: set[tuple[str, str]] = set()

    def close(self) -> None:
        """Leave the generators' machines as they were."""
        self._open.close()

    def open(self, order: Open) -> Opened:
        """Build what is missing, remove what dead runs left, reach the generators. CannotMeasure if it cannot."""
        self._site = order.site
        watcher = Opening(self._tell)
        limits, address, elsewhere = None, None, None
        if order.generators is not None:
            from hopcost.measure.fleet.generators import Generators

            elsewhere = self._open.enter_context(Generators(self._elsewhere(order.generators)))
            limits, address = elsewhere.limits, elsewhere.address
        here = run.look_around(order.suite, RunOptions(), watcher, limits)
        host, environment = run.open_host(here, watcher, address)
        environment |= {"microcode": line_of("/proc/cpuinfo", "microcode"), "mitigations": mitigations()}
        if elsewhere is None:
            self._rig = RealRig(host)
        else:
            from hopcost.measure.two_machines import TwoMachinesRig

            environment["generator_machines"] = elsewhere.environment()
            self._rig = TwoMachinesRig(host, elsewhere)
        return Opened(
            installed=here.receipts,
            allowed_cores=here.limits.allowed_cores,
            siblings=here.limits.siblings,
            open_files=here.limits.open_files,
            environment=environment,
            digests=digests(here.receipts),
            generator=limits,
            removed=[leftover.what for leftover in watcher.removed],
        )

    def watch(self, order: Watch) -> Watched:
        """What others take now."""
        assert self._rig is not None, "opened first"
        others = self._rig.watch_others(order.cores)
        return Watched(others.share, quiet.who(others, len(order.cores)))

    def measure(self, order: Measure) -> Measured:
        """One block; a fault of the measurement makes it void."""
        assert self._rig is not None, "opened first"
        kept: list[StackFiles] = []
        context = BlockContext(order.plan, order.experiment, self._rig, Kept(self._kept, kept), Progress(self._tell))
        step = NextBlock(
            number=order.number,
            arms=[arm for arm in order.experiment.arms if arm.name in order.arms],
            rounds=order.rounds,
            slice_ns=order.experiment.slice_ns,
            warm_up=order.warm_up,
            rates=order.rates,
        )
        block = loop.run_block(context, step)
        return Measured(msgspec.structs.replace(block, site=self._site), kept)

    def _elsewhere(self, order: GeneratorsOrder) -> Elsewhere:
        known_hosts = self._folder / "known_hosts"
        known_hosts.write_text(order.known_hosts)
        return Elsewhere(order.logins, Access(known_hosts=known_hosts), order.address)


class Kept:
    """In place of a record: the files of each stack, the first time."""

    def __init__(self, known: set[tuple[str, str]], kept: list[StackFiles]) -> None:
        self._known, self._kept = known, kept

    def put_stack(self, experiment: str, arm: str, commands: list[KeptCommand], files: Mapping[str, str]) -> None:
        """To be sent with the block."""
        if (experiment, arm) not in self._known:
            self._known.add((experiment, arm))
            self._kept.append(StackFiles(experiment, arm, commands, dict(files)))

    def append(self, block: Block) -> Block:
        """The controller writes blocks."""
        raise NotImplementedError

    def append_repeat(self, repeat: Repeat) -> None:
        """No article's protocol runs on a fleet."""
        raise NotImplementedError


class Progress(Silent):
    """Tells which arm does what."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def arm_runs(self, arm: str, doing: str) -> None:
        """Passed on."""
        self._tell(arm, doing)


class Opening:
    """Hears what is done before the first block."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.removed: list[Leftover] = []

    @contextmanager
    def program_builds(self, name: str) -> Iterator[None]:
        """It may take minutes."""
        self._tell(name, "build")
        yield

    def build_failed(self, reason: str) -> None:
        """The receipt says so too."""

    def leftover_removed(self, leftover: Leftover) -> None:
        """Noted."""
        self.removed.append(leftover)

    def network_is_shared(self, network: Network) -> None:
        """The environment says so."""

    def waits_for_quiet(self, who: str, left_s: float) -> None:
        """The controller waits, not a site."""

    def is_not_quiet(self, who: str) -> None:
        """The controller hears it."""

    def run_begins(self, plan: Plan, record: Path) -> AbstractContextManager[Watcher]:
        """Not here."""
        raise NotImplementedError


def digests(receipts: Mapping[str, Installed]) -> dict[str, str]:
    """SHA-256 of hopcost's own binaries and of the programs', by name."""
    paths: dict[str, Path] = {name: path for name in OWN if (path := binaries.find(name)) is not None}
    paths |= {name: Path(receipt.path) for name, receipt in receipts.items() if receipt.path is not None}
    return {name: _digest(path) for name, path in sorted(paths.items()) if path.is_file()}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def mitigations() -> dict[str, str | None]:
    """What the kernel does against the processor's leaks: it costs system calls."""
    return {path.name: read_text(str(path)) for path in sorted(VULNERABILITIES.glob("*"))}
