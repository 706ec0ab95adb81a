"""Which changes each arm of a screening has: one at a time, or all in few arms by Plackett and Burman's designs. Pure.

In such a design every change is made in half of the arms, and every pair of changes in a quarter. So each effect is
told by all arms, and no other change moves it. What two changes do only together does move it: effects are aliased
with pairs, and a change that dwarfs the others must be settled before.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

# First rows of the designs: the others are this one turned round, and a last one without any change.
# Plackett and Burman 1946, Biometrika 33(4), 305-325, table on p. 323; with four arms it is half of all combinations.
FIRST_ROWS = {4: "++-", 8: "+++-+--", 12: "++-+++---+-"}
MOST_FACTORS = max(map(len, FIRST_ROWS.values()))


class ScreenedArm(msgspec.Struct, frozen=True):
    """An arm of a screening and the changes that it has; none: the arm that the others are compared with."""

    name: str
    changes: list[str] = []


def design(factors: int) -> list[list[bool]]:
    """Rows of as few arms as tell so many factors apart; the last has no change. ValueError for none, or above 11.

    >>> ["".join("-+"[is_on] for is_on in row) for row in design(3)]
    ['++-', '-++', '+-+', '---']
    >>> len(design(7)), len(design(8)), len(design(8)[0])
    (8, 12, 8)
    """
    if not 1 <= factors <= MOST_FACTORS:
        raise ValueError(f"{factors} factors: there are designs for 1 to {MOST_FACTORS}")
    first = next(row for row in FIRST_ROWS.values() if len(row) >= factors)
    signs = [sign == "+" for sign in first]
    turned = [signs[len(signs) - turn :] + signs[: len(signs) - turn] for turn in range(len(signs))]
    return [row[:factors] for row in [*turned, [False] * len(signs)]]


def together(changes: Sequence[str], base: str) -> list[ScreenedArm]:
    """The arms of a design over these changes; `base` is the name of the one without any, which comes first."""
    rows = design(len(changes))
    arms = [
        ScreenedArm(f"{base}-{number}", [change for change, is_on in zip(changes, row, strict=True) if is_on])
        for number, row in enumerate(rows[:-1], start=1)
    ]
    return [ScreenedArm(base), *arms]


def one_at_a_time(changes: Sequence[str], base: str) -> list[ScreenedArm]:
    """An arm for each change, behind the one without any."""
    return [ScreenedArm(base), *(ScreenedArm(f"{base}-{change}", [change]) for change in changes)]
