"""One experiment on this machine: its arms, its connections, how arms take turns, how long slices are. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from hopcost.plan.method import MIN_MARGIN, TARGET_WIDTH
from hopcost.programs.definition import Installed
from hopcost.suites.arm import SettingValue

IdleTimeout = Callable[[str, Mapping[str, SettingValue]], float | None]


def no_idle_timeout(_program: str, _settings: Mapping[str, SettingValue]) -> float | None:
    """Where nothing is known of time-outs."""
    return None


class MachineLimits(msgspec.Struct, frozen=True):
    """What the plan must know of the machine; `open_files` is the hard limit of a process."""

    installed: Mapping[str, Installed]
    allowed_cores: list[int]
    siblings: dict[int, list[int]]
    open_files: int
    idle_timeout_s: IdleTimeout = no_idle_timeout
    missing_peers: Mapping[str, str] = {}


class Way(msgspec.Struct, frozen=True):
    """How a run measures: quickly, with a `peer` in our engine's place, by the articles' own protocols."""

    quick: bool = False
    peer: str | None = None
    as_published: bool = False

    @property
    def whole(self) -> bool:
        """Whether arms must run one at a time: other generators know no turns."""
        return self.peer is not None or self.as_published


class RunOptions(msgspec.Struct, frozen=True):
    """What the command line asks for besides the suite; None where it says nothing."""

    quick: bool = False
    budget_s: float | None = None
    seed: int | None = None
    folder: Path | None = None
    soak_length_s: float | None = None
    peer: str | None = None
    as_published: bool = False
    scale: float = 1.0
    target_percent: float = 100 * TARGET_WIDTH
    margin_percent: float = 100 * MIN_MARGIN
    quiet: bool = False
