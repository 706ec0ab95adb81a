"""Whole runs for `make truth`: `hopcost run` on a suite made here, and what its report as JSON says."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.machine import facts
from hopcost.plan.method import METHOD
from hopcost.record.contents.run import StopReason
from hopcost.report.formats.json_arm import ReportedArm, ReportedComparison
from hopcost.report.formats.json_schema import Report, ReportedExperiment
from hopcost.statistics.intervals import Interval
from hopcost.statistics.verdict import Size
from tools.truth.made_with import ROOT

RECORDS = ROOT / "records" / "truth"  # runs long enough for sections/same/procedure.py to draw from their blocks
HOPCOST = Path(sys.executable).with_name("hopcost")
# hopcost must be right up to the steal at which it voids a block. Its limit is a share of all cores, this of one.
VERDICTS_STEAL_MOST = METHOD.max_steal_share * len(facts.allowed_cores())
SPEEDS = ("throughput", "cpu_per_request")  # figures of the closed loop that verdicts are judged by here
DIRECTIONS = ("faster", "slower", "cheaper", "dearer")
T = TypeVar("T")


def excludes_one(ratio: Interval | None) -> bool:
    """Whether the interval says that there is a difference."""
    return ratio is not None and ratio.low is not None and ratio.high is not None and not ratio.low <= 1 <= ratio.high


def half_width(ratio: Interval | None) -> float:
    """As a share of the ratio; infinite if there is no interval."""
    width = ratio.half_width if ratio is not None else None
    return math.inf if width is None else width


def width_to_keep(ratio: Interval | None) -> float:
    """The half-width as a line keeps it: -1 if there is no interval, since JSON has no infinity."""
    width = half_width(ratio)
    return width if math.isfinite(width) else -1.0


def has_direction(comparison: ReportedComparison) -> bool:
    """Whether it says faster, slower, cheaper or dearer, by however little."""
    return comparison.verdict in DIRECTIONS


def is_beyond_margin(comparison: ReportedComparison) -> bool:
    """Whether it has a direction, and by more than what it calls negligible."""
    return has_direction(comparison) and comparison.size is not Size.NEGLIGIBLE


def closed_loop(arm: ReportedArm, figure: str) -> ReportedComparison | None:
    """The arm's comparison of this figure in the closed loop."""
    comparisons = (comparison for comparison in arm.comparisons if comparison.figure == figure)
    return next((comparison for comparison in comparisons if comparison.load_per_s is None), None)


def arm_of(experiment: ReportedExperiment, name: str) -> ReportedArm:
    """The arm of that name."""
    return next(arm for arm in experiment.arms if arm.name == name)


def compared_arms(experiment: ReportedExperiment) -> list[ReportedArm]:
    """The arms without the baseline and its second run."""
    return [arm for arm in experiment.arms if arm.name not in (experiment.baseline, experiment.baseline + "-aa")]


def is_silent(experiment: ReportedExperiment) -> bool:
    """Whether it gives no verdicts at all."""
    return experiment.no_verdicts is not None or bool(experiment.instrument_is_biased)


def run_suite(
    content: str, time_s: float, read: Callable[[Path], T], *options: object, keep: str | None = None
) -> tuple[ReportedExperiment, float, T]:
    """A suite, by name or as text, through `hopcost run`: its first experiment, seconds, what `read` finds.

    `read` gets the record's folder. If `keep` names it, it stays in `records/truth`, in place of an earlier one.
    MeasurementFailed, with the command's words, if there is no report.
    """
    with tempfile.TemporaryDirectory() as folder:
        suite, record = content, Path(folder) / "record"
        if keep is not None:
            record = RECORDS / keep
            shutil.rmtree(record, ignore_errors=True)
        if "\n" in content:
            suite = str(Path(folder) / "truth.toml")
            Path(suite).write_text(content, encoding="utf-8")
        words = [suite, *options, "--time", round(time_s, 1), "--record", record]
        began = time.monotonic()
        ran = subprocess.run([HOPCOST, "run", *map(str, words)], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        report = subprocess.run([HOPCOST, "report", str(record), "--json"], capture_output=True, text=True, check=False)
        if report.returncode != 0:
            raise MeasurementFailed(f"hopcost run ended with {ran.returncode}: {ran.stderr[-2000:]}\n{report.stderr}")
        experiment = msgspec.json.decode(report.stdout, type=Report).experiments[0]
        if experiment.ending is None or experiment.ending.why == StopReason.FAILED:
            why = f"failed: {experiment.ending.detail}" if experiment.ending is not None else ran.stderr[-2000:]
            raise MeasurementFailed(f"hopcost run did not end well: {why}")
        return experiment, seconds, read(record)


def read_nothing(_record: Path) -> None:
    """For a run whose report is enough."""
