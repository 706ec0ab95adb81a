"""What the controller and a site's leader say to each other: one JSON object a line."""

from __future__ import annotations

import msgspec

from hopcost.measure.fleet.ssh.names import Login
from hopcost.plan.cores import GeneratorLimits
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.programs.definition.definition import Installed
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block
from hopcost.record.kept_files import KeptCommand
from hopcost.suites.suite import Suite


class GeneratorsOrder(msgspec.Struct, frozen=True):
    """Where the site's generators are; `known_hosts` is the file's text."""

    logins: tuple[Login, ...]
    known_hosts: str
    address: str | None = None


class Open(msgspec.Struct, frozen=True, tag="open"):
    """Get ready: build what is missing, clean up, reach the generators (None: the site has none of its own)."""

    site: str
    suite: Suite
    generators: GeneratorsOrder | None = None


class Measure(msgspec.Struct, frozen=True, tag="measure"):
    """Measure one block; `arms` are names of the experiment's."""

    plan: Plan
    experiment: PlannedExperiment
    number: int
    arms: list[str]
    rounds: int
    warm_up: WarmUp
    rates: dict[float, float] | None


class Watch(msgspec.Struct, frozen=True, tag="watch"):
    """Tell what other programs take of these cores."""

    cores: list[int]


Order = Open | Measure | Watch


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """What the site has."""

    installed: dict[str, Installed]
    allowed_cores: list[int]
    siblings: dict[int, list[int]]
    open_files: int
    environment: dict[str, object]
    digests: dict[str, str]
    generator: GeneratorLimits | None = None
    removed: list[str] = []


class StackFiles(msgspec.Struct, frozen=True):
    """The commands and generated files of an arm, for the record."""

    experiment: str
    arm: str
    commands: list[KeptCommand]
    files: dict[str, str]


class Measured(msgspec.Struct, frozen=True, tag="measured"):
    """A block, whole, and the stacks that it saw first."""

    block: Block
    stacks: list[StackFiles]


class Watched(msgspec.Struct, frozen=True, tag="watched"):
    """The share of the cores that others took, and who."""

    share: float
    who: str


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """It cannot: the words of the error, its hint and its exit code."""

    message: str
    hint: str | None
    exit_code: int


class Doing(msgspec.Struct, frozen=True, tag="doing"):
    """Progress; or, with no arm, a sign of life."""

    arm: str | None = None
    doing: str = ""


Answer = Opened | Measured | Watched | Refused
LeaderLine = Opened | Measured | Watched | Refused | Doing
