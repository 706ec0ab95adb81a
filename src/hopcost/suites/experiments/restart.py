"""An app that is restarted while it serves: what its users notice of it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.arm import Name
from hopcost.suites.experiments.request import RatePerS


class Restart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each copy of a program is stopped by SIGTERM and started anew, once, the next one when it is ready.

    Meanwhile all connections of the workload offer the same load, and visitors ask one after the other, each on a
    connection of its own.
    """

    program: Annotated[Name, Meta(description="the program, or app, that is restarted; each arm has it")]
    rate_per_s: Annotated[RatePerS, Meta(description="requests per second offered to every arm, at random moments")]
