"""What the JSON report holds, typed: docs/reference/report.schema.json is made of these structures.

Figures are as measured: integers where the record counts, ns and bytes where the name says so, ratios as fractions with
the ends of their intervals, shares from 0 to 1 (per cent only where the name says so). Absent is null, never 0.
docs/reference/record.md says what each key means.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hopcost.plan.cores import Cores
from hopcost.plan.plan import LeftOut, Point
from hopcost.plan.turns import Scope, Turns
from hopcost.record.contents.block import Failure
from hopcost.record.contents.reason import Reason
from hopcost.record.contents.run import Ending
from hopcost.report.formats.json_arm import ReportedArm
from hopcost.statistics.arms.sites import SiteRatios
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.open_loop import VoidStarts
from hopcost.statistics.summary.openings import WorkersLuck
from hopcost.statistics.summary.repeats import ArmRepeats
from hopcost.statistics.summary.soak import Course
from hopcost.statistics.summary.usage import ArmSurroundings
from hopcost.suites.experiments.workload import Workload


class ReportedBlock(msgspec.Struct, frozen=True):
    """A block that is void or suspect, counted from 0, and why."""

    number: int
    reasons: list[Reason]


class ReportedExperiment(msgspec.Struct, frozen=True):
    """An experiment over its valid blocks; `margin` and `harness_load` are shares (0.02: 2 %)."""

    name: Annotated[str, Meta(description="its name")]
    question: Annotated[str, Meta(description="its question")]
    baseline: Annotated[str, Meta(description="the arm that ratios are to")]
    twice: Annotated[str, Meta(description="the arm that runs a second time in each block: the suite's baseline")]
    aa_floor: Annotated[
        Interval | None, Meta(description="that arm's second run ÷ its first (throughput); null without a block")
    ]
    margin: Annotated[
        float,
        Meta(description="what the size of a difference is read against, a fraction"),
    ]
    instrument_is_biased: Annotated[
        bool | None,
        Meta(
            description="whether the run's A/A arms convict the instrument in the mean over its experiments, at 1 %;"
            " null without two starts of one, and with `--anyway`"
        ),
    ]
    no_verdicts: Annotated[
        str | None, Meta(description="why nothing in the experiment has a verdict; null if arms may have one")
    ]
    blocks: Annotated[int, Meta(description="blocks that count: valid and suspect ones")]
    void_blocks: Annotated[
        list[ReportedBlock],
        Meta(description="`number` of each, and its `reasons` as in blocks.jsonl; they do not count"),
    ]
    suspect_blocks: Annotated[list[ReportedBlock], Meta(description="the same of those that count")]
    void_loads: Annotated[
        list[VoidStarts],
        Meta(
            description="offered loads that the generator could not offer: `share`, `rate_per_s`, how many `starts` had"
            " it, the numbers (from 0) of those in which it is `void` for all arms, and the `faults` there, as in"
            " blocks.jsonl"
        ),
    ]
    sites: Annotated[
        list[SiteRatios],
        Meta(
            description="of a fleet, each site: its valid `blocks`, and by arm the ratios to the baseline there; empty"
            " without a fleet"
        ),
    ]
    ending: Annotated[Ending | None, Meta(description="why it stopped, as in run.json; null if it did not get so far")]
    cores: Annotated[Cores, Meta(description="as in plan.json")]
    workload: Annotated[Workload, Meta(description="as in plan.json")]
    notes: Annotated[list[str], Meta(description="as in plan.json")]
    surroundings: Annotated[
        list[ArmSurroundings],
        Meta(
            description="by arm, what it got of what it asked for: `sysctls` as read back, `notes`, `link_mbit_per_s`"
            " with what plain transfers before load came to (`link_bits_per_s`), over all blocks"
        ),
    ]
    workers_luck: Annotated[
        list[WorkersLuck],
        Meta(
            description="of each arm whose connections were opened anew in each round, by `hop` with several"
            " `workers`: in how many of its `openings` `one_got_everything`, and by what share throughput differed"
            " there (`throughput_change`; null if all openings were alike)"
        ),
    ]
    left_out: Annotated[list[LeftOut], Meta(description="arms that did not run, as in plan.json")]
    failures: Annotated[list[Failure], Meta(description="arms that failed, as in blocks.jsonl")]
    harness_load: Annotated[
        float | None,
        Meta(
            description="the Python process's CPU time ÷ the engine's elapsed time, warm-up included: a share of one"
            " core"
        ),
    ]
    duty: Annotated[
        float | None,
        Meta(
            description="for how much of the time load was counted: slices of the blocks that count, of the closed and"
            " the open loop, ÷ the time of all blocks; null without any"
        ),
    ]
    point: Annotated[
        Point | None, Meta(description="of a sweep: `experiment`, `key` and `value`, as in plan.json; null without one")
    ]
    turns: Annotated[Turns, Meta(description="how arms took turns, as in plan.json")]
    scope: Annotated[
        Scope,
        Meta(
            description="what ranges are of: `starts` of programs, or `processes` that go on running; never pool them"
        ),
    ]
    connections_asked: Annotated[int | None, Meta(description="those of the suite, if fewer ran here; else null")]
    soak: Annotated[
        list[Course],
        Meta(
            description="of a soak, for each figure and arm: `figure` (`ratio`, `service_time_p50_ns`,"
            " `memory_bytes`), `arm`, its `first` and `last` part, how many `parts`, and its `drift`:"
            " factors `over_run` (interval `low`, `high`) and `per_hour` (`per_hour_low`,"
            " `per_hour_high`), `length_s`, `standard_error` (of the logarithm of `over_run`); null if unknown"
        ),
    ]
    repeats: Annotated[
        list[ArmRepeats],
        Meta(
            description="of `--as-published`, by arm: `name`, `tool`, `connections`, `requests` or `duration_s`,"
            " `throughputs_per_s` of each repeat, `ratio` of means to the baseline's, the tool's own"
            " `errors`, `cpu_percent`, `failures`, `published` and `published_ratio`; `peer_figures`,"
            " `memory` and `time_wait` as an arm's"
        ),
    ]
    hop_costs: Annotated[
        list[HopCost],
        Meta(
            description="for each arm with a hop in front of another arm's stack: `arm`, `without` (that other arm),"
            " `hop`, `share` and `load_per_s` (null at saturation), and per request, in ns, `cpu_ns`,"
            " `p50_ns`, `p99_ns`: differences with `value`, `low`, `high`; null if not known; `starts` that have"
            " both arms at that load: from one start a range is what starts usually are, no evidence"
        ),
    ]
    arms: list[ReportedArm]


class Report(msgspec.Struct, frozen=True):
    """A record's summary; `format` is the record's, times are UTC (ISO 8601)."""

    format: Annotated[int, Meta(description="the record's format")]
    hopcost: Annotated[str, Meta(description="the version that wrote the record")]
    suite: Annotated[str, Meta(description="its name")]
    quick: Annotated[bool, Meta(description="whether `--quick` was given")]
    seed: Annotated[int, Meta(description="the run's seed")]
    started_utc: Annotated[str, Meta(description="wall clock")]
    ended_utc: Annotated[str | None, Meta(description="null if the run did not end by itself")]
    command: Annotated[list[str], Meta(description="the command line")]
    warnings: Annotated[list[str], Meta(description="what of the record could not be read")]
    environment: Annotated[dict[str, Any], Meta(description="as in environment.json")]
    left_out: Annotated[list[LeftOut], Meta(description="experiments that did not run, as in plan.json")]
    experiments: list[ReportedExperiment]
