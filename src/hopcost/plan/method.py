"""The numbers of the method and of the engine's behaviour.

Two records of one METHOD can be compared. Raise it if the same stacks, under the same load, would read otherwise than
before: another estimator, other slices, other accounts. What a suite or an option changes is in the plan; it needs no
number. Raise ENGINE if the engine would send, time or count the same plan otherwise than before. `make truth` sets
aside the runs of other numbers.
"""

from __future__ import annotations

METHOD = 2
ENGINE = 1

TARGET_WIDTH = 0.01

MIN_MARGIN = 0.02
