"""What the plan is told besides the suite: the options of a run, and the limits of this machine. Light to import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from hopcost.plan.cores import GeneratorLimits
from hopcost.plan.method import METHOD
from hopcost.plan.until import Until
from hopcost.programs.definition.definition import Installed
from hopcost.suites.arms.arm import SettingValue

IdleTimeout = Callable[[str, Mapping[str, SettingValue]], float | None]


def no_idle_timeout(_program: str, _settings: Mapping[str, SettingValue]) -> float | None:
    """For plans that know of no idle time-outs."""
    return None


class MachineLimits(msgspec.Struct, frozen=True):
    """What the plan must know of the machine.

    `siblings` gives for a core those that share its physical core. `open_files` is the hard limit of a process.
    `idle_timeout_s` gives, for a program under settings, after how long it drops an idle connection. `missing_peers`
    are the load generators that are not installed, each with the command that installs it. `generator` is a machine of
    its own.
    """

    installed: Mapping[str, Installed]
    allowed_cores: list[int]
    siblings: dict[int, list[int]]
    open_files: int
    idle_timeout_s: IdleTimeout = no_idle_timeout
    missing_peers: Mapping[str, str] = {}
    generator: GeneratorLimits | None = None


class RunOptions(msgspec.Struct, frozen=True):
    """What the command line asks for besides the suite; None if it says nothing.

    `peer` drives the arms in our engine's place. `as_published` takes the articles' own protocols, with their requests
    and durations times `scale`. `precision` and `margin` are fractions of a ratio. `rates` are offered loads, in
    requests per second; without any, `loads` shares of the slowest arm's throughput are offered. `decide` are the arms
    that a run `until` decided asks about; all, if none is named.
    """

    quick: bool = False
    time_s: float | None = None
    seed: int | None = None
    folder: Path | None = None
    soak_length_s: float | None = None
    peer: str | None = None
    as_published: bool = False
    scale: float = 1.0
    precision: float = METHOD.precision
    margin: float = METHOD.min_margin
    rates: tuple[float, ...] = ()
    loads: int = 1
    until: Until = Until.PRECISION
    decide: tuple[str, ...] = ()
    quiet: bool = False
    on_busy_machine: bool = False
    on_mixed_hosts: bool = False

    @property
    def one_arm_at_a_time(self) -> bool:
        """Whether arms must run one at a time: other generators know no turns."""
        return self.peer is not None or self.as_published
