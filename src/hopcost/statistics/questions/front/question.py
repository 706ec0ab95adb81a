"""What is asked of a record of fronts, and what was learned of the app before. Plain data."""

from __future__ import annotations

import msgspec

from hopcost.plan.plan import LeftOut
from hopcost.statistics.questions.front.fronts import ALONE, Front
from hopcost.suites.experiments.expect import Compared


class AppFacts(msgspec.Struct, frozen=True):
    """What the advice and the configuration need to know of the app.

    `port` is the one that it takes by itself, None if it is told. `upstream_timeout_s` is how long nginx may keep an
    idle connection to it, None if it keeps none; `pool` is how many it keeps. `changing` says what differs from answer
    to answer, `compared` what is compared all the same.
    """

    cpu_us_per_request: float
    throughput_per_s: float
    body_bytes: int
    content_type: str | None
    keeps_connections: bool
    idle_timeout_s: float | None
    upstream_timeout_s: int | None
    pool: int
    port: int | None = None
    script: str | None = None
    is_fastcgi: bool = False
    needs: list[str] = []
    changing: list[str] = []
    compared: Compared = Compared.BODY
    notes: list[str] = []


class FrontQuestion(msgspec.Struct, frozen=True):
    """The command as it was given, the fronts that are measured before it, and those that cannot be, with reasons.

    `rate_per_s` is the load at which CPU per request is compared; None: full load. `reference` is the arm that is in
    every experiment: the app alone, or the plainest front of an app that no client can ask.
    """

    command: list[str]
    target: str
    method: str
    connections: int
    fronts: list[Front]
    left_out: list[LeftOut]
    app: AppFacts
    rate_per_s: float | None = None
    reference: str = ALONE

    @property
    def compared(self) -> list[Front]:
        """The fronts that are compared with another arm; over FastCGI nginx is the reference itself."""
        return [front for front in self.fronts if front.value != self.reference]
