"""Why a block is not valid: its kind and its figures. statistics/validity/reasons.py has the words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.record.contents.evidence import OtherProgram


class ReasonKind(StrEnum):
    """What disturbed a block; docs/reference/record.md has the sentence of each."""

    OTHER_PROGRAMS = "other_programs"
    STEAL = "steal"
    QUOTA = "quota"
    SWAPPING = "swapping"
    CLOCK_STEP = "clock_step"
    LONG_STALLS = "long_stalls"
    RUN_DELAY = "run_delay"
    STOOD_STILL = "stood_still"
    LITTLES_LAW = "littles_law"
    OUTSIDE = "outside"
    BACKGROUND = "background"
    GENERATOR_BUSY = "generator_busy"
    LATE = "late"
    NOT_SENT = "not_sent"
    NOT_OPENED = "not_opened"
    OPENED_LATE = "opened_late"
    NO_PORTS = "no_ports"
    UNASKED_BYTES = "unasked_bytes"
    ENDED_EARLY = "ended_early"
    REFERENCE_FAILED = "reference_failed"
    ENGINE = "engine"
    BROKE_OFF = "broke_off"


class Reason(msgspec.Struct, frozen=True):
    """Why a block is suspect or void. Reasons of one kind differ in the other keys alone."""

    kind: Annotated[ReasonKind, Meta(description="what happened: the table below")]
    arm: Annotated[str | None, Meta(description="whose load shows it; null: it is of the whole block")] = None
    rate_per_s: Annotated[
        float | None, Meta(description="under which offered load; null: the closed loop, or the whole block")
    ] = None
    value: Annotated[
        float | None, Meta(description="the figure in its sentence; a share of 1 if that has %, ns if it has ms")
    ] = None
    programs: Annotated[
        list[OtherProgram], Meta(description="of `other_programs`: those that took most, as far as they can be seen")
    ] = []
    machine: Annotated[
        str | None, Meta(description="the generator's machine, if it is that one's; null: the stacks', or the block's")
    ] = None
    text: Annotated[
        str | None, Meta(description="the sentence itself, of `broke_off` and of `engine`; null of all other kinds")
    ] = None
