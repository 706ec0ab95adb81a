"""What the phases before the confirmation showed; and which part of a record is the confirmation. Pure."""

from __future__ import annotations

import msgspec

from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.run import Record
from hopcost.statistics import figures
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.effects import effects, rounds_of
from hopcost.statistics.questions.conf.question import AS_IS, CONFIRMED, ConfQuestion


def _cpu_of_first_hop(arm: ArmBlock) -> float | None:
    return figures.cpu_of(arm.hops[0])(arm) if arm.hops else None


cpu_of_nginx = BlockFigure("cpu_per_request:nginx", _cpu_of_first_hop)  # whatever the hop is called in each arm


def confirmed_part(record: Record) -> Record:
    """The confirmation as a record of its own: screenings of one start must not tell how much starts differ."""
    experiments = [planned for planned in record.plan.experiments if is_confirmation(planned.name)]
    names = {planned.name for planned in experiments}
    return msgspec.structs.replace(
        record,
        plan=msgspec.structs.replace(record.plan, experiments=experiments),
        blocks=[block for block in record.blocks if block.experiment in names],
    )


def is_confirmation(experiment: str) -> bool:
    """Whether this experiment belongs to the confirmation; it may have several, each with some of the arms."""
    return experiment.startswith(CONFIRMED)


def screened_effects(question: ConfQuestion, record: Record, error: float | None = None) -> dict[str, Interval | None]:
    """The effect of each screened change, in CPU ns of nginx per request; with `error` that of each one by itself.

    A change that was in two screenings has the figure of the later one.
    """
    of_all: dict[str, Interval | None] = {}
    for screening in question.screenings:
        shared = METHOD.confidence_error if error is None else error * len(screening.changes)
        of_all |= effects(_rounds(record, screening.experiment), screening.arms, shared)
    return of_all


def nginx_ns_as_is(question: ConfQuestion, record: Record) -> float | None:
    """nginx's CPU time per request with the file as it is: of the confirmation, else of the first screening."""
    confirmation = (planned.name for planned in record.plan.experiments if is_confirmation(planned.name))
    names = [(name, AS_IS) for name in confirmation]
    names += [(screening.experiment, screening.arms[0].name) for screening in question.screenings[:1]]
    means = (_mean_of(arm, _rounds(record, experiment)) for experiment, arm in names)
    return next((mean for mean in means if mean is not None), None)


def _rounds(record: Record, experiment: str) -> list[dict[str, float]]:
    """nginx's CPU time by arm in each round of an experiment that counts."""
    blocks = (block for block in record.blocks_of(experiment) if block.validity is not Validity.VOID)
    return [figures_by_arm for block in blocks for figures_by_arm in rounds_of(block, cpu_of_nginx)]


def _mean_of(arm: str, rounds: list[dict[str, float]]) -> float | None:
    values = [figures_by_arm[arm] for figures_by_arm in rounds if arm in figures_by_arm]
    return sum(values) / len(values) if values else None
