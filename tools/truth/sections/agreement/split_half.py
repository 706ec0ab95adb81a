"""The odd and the even blocks of real records must agree as their intervals say. A section of the truth's page.

Nothing is simulated and nothing is known: the same arms, the same hour, two halves of the starts. An interval that is
too narrow for this machine's luck shows here.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from hopcost.errors import HopcostError
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record, Run
from hopcost.statistics.arms import RecordBlocks
from hopcost.statistics.figures import BlockFigure, cpu_per_request, throughput
from hopcost.statistics.intervals import Interval
from tools.truth.form import Form
from tools.truth.lines import FOLDER, Case, Figures, Line, Reckoned, Sorted, path_of, read
from tools.truth.made_with import ROOT, Machine, engine_digest, this_machine
from tools.truth.page.part import Part, Section

SECTION = "split-half"
RECORDS = ROOT / "records"
RECORDS_LEAST = 20
AGREE_LEAST = 0.95
ERROR = 0.05  # of each interval by itself
BLOCKS_LEAST = 4  # two starts in each half: one start has no interval
FIGURES: dict[str, BlockFigure] = {"throughput": throughput, "cpu": cpu_per_request}
COLUMNS = ["records:", "blocks, median:", "contrasts: throughput:", "agree:", "CPU:", "agree:", "together:", "holds"]
PROSE = (
    "Of each record of a run here, the ratios of its arms to the baseline by its odd blocks alone and by its even"
    " blocks alone, each with its 95 % interval. On the scale of logarithms, the two must differ by no more than the"
    f" root of their half-widths' squares in at least {AGREE_LEAST:.0%} of the contrasts, over at least"
    f" {RECORDS_LEAST} records. Records with fewer than {BLOCKS_LEAST} valid blocks of an experiment say nothing of it."
)


class Halves(msgspec.Struct, frozen=True):
    """One ratio by the odd blocks, and by the even ones."""

    odd: Interval
    even: Interval

    def agree(self) -> bool | None:
        """Whether they differ by no more than √(h₁² + h₂²), on the log scale; None if an interval has no ends."""
        half_widths = [_log_half(interval) for interval in (self.odd, self.even)]
        if None in half_widths:
            return None
        return abs(math.log(self.odd.value / self.even.value)) <= math.hypot(*(half or 0.0 for half in half_widths))


def _log_half(interval: Interval) -> float | None:
    if interval.low is None or interval.high is None or interval.low <= 0:
        return None
    return math.log(interval.high / interval.low) / 2


def halves(record: Record, figure: BlockFigure) -> Iterator[Halves]:
    """Of every arm of every experiment beside its baseline, without the baseline's second run.

    Each half is analysed as a record by itself: what restarts do is learned from its own blocks.
    """
    experiments = [planned for planned in record.plan.experiments if len(_blocks(record, planned)) >= BLOCKS_LEAST]
    parts = [
        RecordBlocks(experiments, [block for planned in experiments for block in _blocks(record, planned)[first::2]])
        for first in (0, 1)
    ]
    for experiment in experiments:
        for arm in experiment.arms:
            if arm.name != experiment.baseline and arm.copy_of is None:
                odd, even = (part.of(experiment).ratio(arm.name, figure, ERROR) for part in parts)
                if odd is not None and even is not None:
                    yield Halves(odd=odd, even=even)


def _blocks(record: Record, experiment: PlannedExperiment) -> list[Block]:
    """The valid ones, in the order of their starts."""
    return [block for block in record.blocks if block.experiment == experiment.name and is_counted(block)]


def is_counted(block: Block) -> bool:
    """Void blocks are no part of a record's figures."""
    return block.validity != Validity.VOID


def counted(record: Record) -> Figures:
    """By figure, how many contrasts have both intervals, and how many of them agree."""
    figures: Figures = {"blocks": sum(map(is_counted, record.blocks))}
    for name, figure in FIGURES.items():
        answers = [both.agree() for both in halves(record, figure)]
        figures[f"{name}_contrasts"] = sum(answer is not None for answer in answers)
        figures[f"{name}_agree"] = sum(answer is True for answer in answers)
    return figures


def find_records(folder: Path) -> dict[str, str]:
    """The records of this method below a folder: by path, when each began."""
    starts = {}
    for path in sorted(folder.glob("**/run.json")):
        try:
            run = msgspec.json.decode(path.read_bytes(), type=Run)
        except (OSError, msgspec.DecodeError):
            continue
        if run.method == METHOD.number:
            starts[str(path.parent.relative_to(folder))] = run.started_utc
    return starts


def run(path: Path, _number: int) -> Figures:
    """Reads one record. One that is damaged says nothing."""
    try:
        return counted(reader.read_record(path))
    except HopcostError:
        return {"blocks": 0.0, **{f"{name}_{what}": 0.0 for name in FIGURES for what in ("contrasts", "agree")}}


def is_still_good(line: Line, machine: Machine) -> bool:
    """Whether it was counted on that machine as it would be today: its record may be gone."""
    wanted = (METHOD.number, engine_digest(), machine)
    return not line.failed and (line.engine.method, line.engine.digest, line.machine) == wanted


class SplitHalf(Section):
    """A case for each record in a folder. What was counted of a record stays, also when the record is gone."""

    key = SECTION
    heading = "# Halves of real records"
    asks = "The odd and the even blocks of real records agree"
    tells = ("together",)
    short_s = 120.0

    def __init__(
        self,
        folder: Path = FOLDER,
        form: Form = Form.FULL,
        machine: Machine | None = None,
        records: Path = RECORDS,
    ) -> None:
        """`folder` holds the kept lines, `records` those that this machine made."""
        self.records = records
        self.path = path_of(SECTION, folder)
        super().__init__(folder, form, machine)

    def runs(self) -> int:
        """Records are made by the other sections."""
        return RECORDS_LEAST

    def cases(self) -> list[Case]:
        """Those in the folder, and those that were counted before."""
        machine = self.kept.machine
        began = {line.case: line.settings["started"] for line in read(self.path, Line) if is_still_good(line, machine)}
        if machine == this_machine():
            began |= find_records(self.records)
        return [
            Reckoned(SECTION, name, partial(run, self.records / name), 1, {"started": started}, seconds=2.0)
            for name, started in sorted(began.items())
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """One row."""
        runs = [line.figures for line in done.used]
        word = verdict(runs)
        return [Part([PROSE], COLUMNS, [[*_cells(runs), word]], [word])]

    def adds(self, done: Sorted) -> str:
        """How few blocks they have."""
        blocks = [figures["blocks"] for figures in with_contrasts([line.figures for line in done.used])]
        return f"The records have {statistics.median(blocks):g} blocks at the median." if blocks else ""


def contrasts(runs: Iterable[Figures], name: str) -> tuple[int, int]:
    """How many of a figure, and how many agree."""
    pairs = [(figures[f"{name}_contrasts"], figures[f"{name}_agree"]) for figures in runs]
    return int(sum(of for of, _ in pairs)), int(sum(agree for _, agree in pairs))


def with_contrasts(runs: Iterable[Figures]) -> list[Figures]:
    """The records that say something."""
    return [figures for figures in runs if any(figures[f"{name}_contrasts"] for name in FIGURES)]


def verdict(runs: Sequence[Figures]) -> str:
    """Over both figures together."""
    records = len(with_contrasts(runs))
    if records < RECORDS_LEAST:
        return f"unfinished: {records} of {RECORDS_LEAST} records"
    pairs = [contrasts(runs, name) for name in FIGURES]
    return "yes" if sum(agree for _, agree in pairs) >= AGREE_LEAST * sum(of for of, _ in pairs) else "no"


def _cells(runs: Sequence[Figures]) -> list[str]:
    telling = with_contrasts(runs)
    blocks = sorted(figures["blocks"] for figures in telling)
    cells = [str(len(telling)), f"{blocks[len(blocks) // 2]:g}" if blocks else ""]
    total, agreeing = 0, 0
    for name in FIGURES:
        of, agree = contrasts(telling, name)
        cells += [str(of), str(agree)]
        total, agreeing = total + of, agreeing + agree
    return [*cells, f"{agreeing / total:.1%}" if total else ""]
