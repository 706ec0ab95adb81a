"""What a watcher has heard of a run: its blocks, the figures so far, and what is expected of each experiment."""

from __future__ import annotations

from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending
from hopcost.report.live.clock import Clock
from hopcost.statistics.arms import RecordBlocks
from hopcost.statistics.precision import stop
from hopcost.statistics.precision.precision import Forecast
from hopcost.statistics.precision.stop import ArmSoFar

WIDEST = 10.0  # a range of ±1000 % and more is none


class SoFar:
    """Blocks of the experiments take turns; figures are computed once for each block."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.clock = Clock(plan)
        self.blocks: list[Block] = []
        self._planned = {experiment.name: experiment for experiment in plan.experiments}
        self._arms = {experiment.name: self._arms_now(experiment) for experiment in plan.experiments}
        self._expected_starts: dict[str, int] = {}

    def begin(self, experiment: PlannedExperiment) -> None:
        """A block of the experiment begins."""
        self.clock.begin(experiment.name)

    def expect(self, experiment: PlannedExperiment, forecast: Forecast) -> None:
        """What the finished blocks tell of the experiment's end."""
        self._expected_starts[experiment.name] = forecast.blocks
        self.clock.expect(experiment.name, forecast)

    def add(self, block: Block) -> PlannedExperiment:
        """A block has ended; its experiment."""
        self.blocks.append(block)
        experiment = self._planned[block.experiment]
        self._arms[experiment.name] = self._arms_now(experiment)
        return experiment

    def end(self, ending: Ending) -> None:
        """An experiment has no further block."""
        self.clock.end(ending.experiment)

    def arms(self, experiment: PlannedExperiment) -> list[ArmSoFar]:
        """The experiment's arms, as the report would have had them after its last block."""
        return self._arms[experiment.name]

    def starts(self, experiment: PlannedExperiment) -> int:
        """The experiment's blocks that count."""
        return sum(block.experiment == experiment.name and block.validity != Validity.VOID for block in self.blocks)

    def expected_starts(self, experiment: PlannedExperiment) -> int | None:
        """How many it is expected to have in the end; None before a block has told."""
        expected = self._expected_starts.get(experiment.name)
        return None if expected is None else max(expected, self.starts(experiment))

    def turns(self, experiment: PlannedExperiment) -> str:
        """With what its blocks take turns: `, in turns with all-cores`; empty if there is only one experiment."""
        others = [name for name in self._planned if name != experiment.name]
        if not others:
            return ""
        return f", in turns with {others[0] if len(others) == 1 else f'{len(others)} others'}"

    def blocks_of(self, experiment: PlannedExperiment) -> list[Block]:
        """Its finished blocks."""
        return [block for block in self.blocks if block.experiment == experiment.name]

    def width(self, experiment: PlannedExperiment) -> str | None:
        """The widest range of its arms' ratios, `±23 %`; None while it is so wide that it says nothing."""
        half_width = stop.widest_interval(experiment, self.arms(experiment))
        if half_width is None or half_width >= WIDEST:
            return None
        return f"±{float(f'{100 * half_width:.2g}'):g} %"

    def _arms_now(self, experiment: PlannedExperiment) -> list[ArmSoFar]:
        return stop.arms_so_far(RecordBlocks(self.plan.experiments, self.blocks).of(experiment))
