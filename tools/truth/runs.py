"""Whole runs for `make truth`: `hopcost run` on a suite made here, and what its report as JSON says."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from hopcost import machine
from hopcost.errors import MeasurementFailed
from hopcost.validity import STEAL_AT_MOST
from tools.truth.lines import ROOT

RECORDS = ROOT / "records" / "truth"  # of runs long enough that sections/procedure.py may draw from their blocks
HOPCOST = Path(sys.executable).with_name("hopcost")
# Up to what hopcost itself calls void it must be right, as a share of one core: its own is of all cores in use.
VERDICTS_STEAL_MOST = STEAL_AT_MOST * len(machine.allowed_cores())
SPEEDS = ("throughput", "cpu_per_request")  # figures of the closed loop that verdicts are judged by here
DIRECTIONS = ("faster", "slower", "cheaper", "dearer")
T = TypeVar("T")


class Ends(msgspec.Struct, frozen=True):
    """A ratio with its interval, as the report has it."""

    value: float
    low: float | None
    high: float | None

    def excludes_one(self) -> bool:
        """Whether it says that there is a difference."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high

    def half_width(self) -> float:
        """As a share of the ratio; infinite where there is no interval."""
        if self.low is None or self.high is None:
            return float("inf")
        return (self.high - self.low) / 2 / self.value


class Comparison(msgspec.Struct, frozen=True):
    """One figure of an arm beside the baseline's."""

    figure: str
    load_per_s: float | None
    ratio: Ends | None
    verdict: str
    negligible: bool

    def beyond_the_margin(self) -> bool:
        """Whether it says faster, slower, cheaper or dearer, and by more than what it calls negligible."""
        return self.verdict in DIRECTIONS and not self.negligible


class Arm(msgspec.Struct, frozen=True):
    """An arm of the report."""

    name: str
    comparisons: list[Comparison] = []

    def of(self, figure: str) -> Comparison | None:
        """The comparison of this figure in the closed loop."""
        return next((each for each in self.comparisons if each.figure == figure and each.load_per_s is None), None)


class Ending(msgspec.Struct, frozen=True):
    """Why it stopped."""

    why: str
    detail: str = ""


class Experiment(msgspec.Struct, frozen=True):
    """An experiment of the report, as far as it is read here."""

    name: str
    baseline: str
    blocks: int
    arms: list[Arm]
    ending: Ending | None = None
    aa_floor: Ends | None = None
    margin: float | None = None
    instrument_is_biased: bool | None = None  # None: too few blocks to say
    no_verdicts: str | None = None

    def others(self) -> list[Arm]:
        """The arms that are compared: neither the baseline nor its second run."""
        return [arm for arm in self.arms if arm.name not in (self.baseline, self.baseline + "-aa")]

    def of(self, name: str) -> Arm:
        """The arm of that name."""
        return next(arm for arm in self.arms if arm.name == name)


class Report(msgspec.Struct, frozen=True):
    """`hopcost report --format json`; what is not named here is passed over."""

    experiments: list[Experiment]


def run_suite(
    content: str, budget_s: float, read: Callable[[Path], T], *options: object, keep: str | None = None
) -> tuple[Experiment, float, T]:
    """A suite, by name or as text, through `hopcost run`: its first experiment, seconds, what `read` finds.

    `read` gets the record's folder, which stays in `records/truth` where `keep` names it, in place of an earlier one.
    MeasurementFailed, with its words, when there is no report.
    """
    with tempfile.TemporaryDirectory() as folder:
        suite, record = content, Path(folder) / "record"
        if keep is not None:
            record = RECORDS / keep
            shutil.rmtree(record, ignore_errors=True)
        if "\n" in content:
            suite = str(Path(folder) / "truth.toml")
            Path(suite).write_text(content, encoding="utf-8")
        words = [suite, *options, "--budget", round(budget_s, 1), "--record", record]
        began = time.monotonic()
        ran = subprocess.run([HOPCOST, "run", *map(str, words)], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        said = subprocess.run(
            [HOPCOST, "report", str(record), "--format", "json"], capture_output=True, text=True, check=False
        )
        if said.returncode != 0:
            raise MeasurementFailed(f"hopcost run ended with {ran.returncode}: {ran.stderr[-2000:]}\n{said.stderr}")
        experiment = decode(said.stdout.encode()).experiments[0]
        if experiment.ending is None or experiment.ending.why == "failed":
            why = f"failed: {experiment.ending.detail}" if experiment.ending is not None else ran.stderr[-2000:]
            raise MeasurementFailed(f"hopcost run did not end well: {why}")
        return experiment, seconds, read(record)


def read_nothing(_record: Path) -> None:
    """For a run of whose record nothing is wanted besides the report."""


def decode(report: bytes) -> Report:
    """The report out of its JSON."""
    return msgspec.json.decode(report, type=Report)
