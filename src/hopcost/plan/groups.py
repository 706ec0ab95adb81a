"""Groups of arms: if open files do not hold all arms at once, each group is an experiment with its own A/A arm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import msgspec

from hopcost.plan.plan import PlannedExperiment

REFERENCE = 2  # the baseline and its copy are in every group
JOINT = "+"  # no name in a suite has it


def split(names: Sequence[str], most: int) -> list[list[str]]:
    """The names in their order, in as few groups of at most `most` as possible, of about the same size.

    >>> split(["a", "b", "c", "d"], 3), split(["a", "b"], 1), split([], 1)
    ([['a', 'b'], ['c', 'd']], [['a'], ['b']], [])
    """
    number = math.ceil(len(names) / most)
    edges = [len(names) * group // number for group in range(number + 1)] if number else []
    return [list(names[begin:end]) for begin, end in itertools.pairwise(edges)]


def in_groups(planned: PlannedExperiment, together: int) -> list[PlannedExperiment]:
    """The experiment as experiments of at most `together` arms each; the experiment itself if all its arms fit.

    The groups share its weight. What is left out and noted stands in the first one only.
    """
    reference = {planned.baseline, planned.copy}
    others = [arm.name for arm in planned.arms if arm.name not in reference]
    if len(planned.arms) <= together:
        return [planned]
    groups = split(others, together - REFERENCE)
    return [
        msgspec.structs.replace(
            planned,
            name=JOINT.join([planned.name, *group]),
            group_of=planned.name,
            arms=[arm for arm in planned.arms if arm.name in reference or arm.name in group],
            published=[row for row in planned.published if row.arm not in others or row.arm in group],
            weight=planned.weight / len(groups),
            left_out=[] if number else planned.left_out,
            notes=[] if number else planned.notes,
        )
        for number, group in enumerate(groups)
    ]
