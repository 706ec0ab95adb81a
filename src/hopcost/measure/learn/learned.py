"""What was learned of an app."""

from __future__ import annotations

import msgspec

from hopcost.suites.experiments.expect import Expect


class Learned(msgspec.Struct, frozen=True):
    """What one start of an app has shown.

    `changing` names what changes from one answer to the next: header fields, places in the body. `idle_timeout_s` is
    None if an idle connection outlasts the watch, or none is kept. `warm_up_requests` and `warm_up_s` are what a start
    has answered, and how long that took, until its CPU time per request stays; 0 if it does from the beginning.
    `cpu_us_per_request` (of the whole stack) and `throughput_per_s` are of the load after that. `notes` are sentences.
    """

    expect: Expect
    changing: list[str]
    status: int
    body_bytes: int
    content_type: str | None
    headers: list[tuple[str, str]]
    keeps_connections: bool
    idle_timeout_s: float | None
    warm_up_requests: int
    warm_up_s: float
    ready_s: float
    cpu_us_per_request: float
    throughput_per_s: float
    processes: int
    notes: list[str]
