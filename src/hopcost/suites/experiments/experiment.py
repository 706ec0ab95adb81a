"""An experiment of a suite file, as a strict structure: its arms, its workload, its baseline."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.arm import Arm, ArmName, Name, Positive, Settings, SysctlName
from hopcost.suites.articles.published import Protocol, Published, Value
from hopcost.suites.experiments.request import RatePerS
from hopcost.suites.experiments.restart import Restart
from hopcost.suites.experiments.shown import ShownTable
from hopcost.suites.experiments.soak import Soak
from hopcost.suites.experiments.workload import Workload


class Placement(Enum):
    """Which cores the stack and the generator get; never silently mixed."""

    ONE_CORE = "one-core"
    ALL_CORES = "all-cores"


class Slices(Enum):
    """How arms take turns: finely, all alive and frozen in between, or one alive at a time in one long slice each."""

    INTERLEAVED = "interleaved"
    WHOLE = "whole"


class Experiment(msgspec.Struct, forbid_unknown_fields=True):
    """A question, its arms, its workload, its baseline."""

    name: Annotated[Name, Meta(description="unique in the file; names it on the command line")]
    question: Annotated[str, Meta(description="what it answers, in one sentence; printed above the table")]
    baseline: Annotated[
        ArmName,
        Meta(description="the arm that the others are compared with; its second run, `NAME-aa`, is added by hopcost"),
    ]
    arms: Annotated[
        list[ArmName], Meta(min_length=1, description="the arms in the order of the report, the baseline among them")
    ]
    placement: Annotated[
        Placement,
        Meta(
            description="`one-core`: one core for the whole stack, another for the generator; `all-cores`: every core"
            " for the stack, the generator shares the last one"
        ),
    ]
    workload: Annotated[Workload, Meta(description="what is asked, and over how many connections")] = msgspec.field(
        default_factory=Workload
    )
    settings: Annotated[
        Settings,
        Meta(
            description="settings by program, for all its hops in this experiment; an arm's win over them, a hop's own"
            " over both"
        ),
    ] = {}
    needs_cores: Annotated[
        Positive, Meta(description="cores that the published conditions take; with fewer the report says so")
    ] = 1
    needs_cores_because: Annotated[str, Meta(description="why, in words that complete that sentence")] = ""
    published: Annotated[
        list[Published], Meta(description="the article's figures, one entry per arm: `[[experiments.published]]`")
    ] = []
    published_conditions: Annotated[str, Meta(description="under which conditions they were measured")] = ""
    control: Annotated[
        Name | None,
        Meta(
            description="the article's control group; published ratios are taken to it; required if more than one"
            " arm is published"
        ),
    ] = None
    sweep: Annotated[
        Sweep | None, Meta(description="one key over a list of values; each is an experiment `NAME@VALUE`")
    ] = None
    slices: Annotated[
        Slices,
        Meta(
            description="`interleaved`: all arms alive, slices of 0.3 s and more in shuffled turns; `whole`: one arm"
            " alive at a time, a slice of seconds each. hopcost takes `whole` by itself if arms would"
            " be frozen for longer than half of an idle time-out"
        ),
    ] = Slices.INTERLEAVED
    slice_s: Annotated[
        Annotated[int, Meta(ge=1, le=3600)] | None,
        Meta(description="length of a whole slice in a full run; absent: 10 s. A quick run takes 2 s"),
    ] = None
    quick: Annotated[
        bool, Meta(description="false: `--quick` leaves the experiment out, unless it is named on the command line")
    ] = True
    soak: Annotated[
        Soak | None, Meta(description="a long run of one arm, instead of blocks: `{ length_s = 1800 }`")
    ] = None
    restart: Annotated[
        Restart | None,
        Meta(
            description="a program that is restarted under load, one copy after the other, to see what its users"
            ' notice: `{ program = "go-hello", rate_per_s = 500 }`'
        ),
    ] = None
    table: Annotated[
        ShownTable,
        Meta(
            description="what the default report shows: `throughput`, beside what a hop adds; `worth`: what a hop costs"
            " and what it buys, with response times, memory and failed requests"
        ),
    ] = ShownTable.THROUGHPUT
    as_published: Annotated[Protocol | None, Meta(description="the article's own protocol, for `--as-published`")] = (
        None
    )
    sysctls: Annotated[
        dict[SysctlName, int | str], Meta(description="as in an arm, for all arms; an arm's own win")
    ] = {}
    open_files: Annotated[Positive | None, Meta(description="the same")] = None
    link_mbit_per_s: Annotated[Positive | None, Meta(description="the same")] = None
    open_loop: Annotated[
        bool,
        Meta(
            description="false: no offered loads after the closed loop. There are none anyhow in whole slices and"
            " soaks, with `requests_per_connection` and with other generators"
        ),
    ] = True
    rates: Annotated[
        list[RatePerS],
        Meta(
            description="requests per second that all arms are offered after the closed loop, one step after the other,"
            " a slice each; absent: a quarter of what the slowest can do. `--rate` wins. Ramps are `hopcost load`'s own"
        ),
    ] = []
    weight: Annotated[
        Positive,
        Meta(
            description="its part of a run's time: one of 3 gets three times as much as one of 1, if blocks take long"
        ),
    ] = 1

    def surrounded(self, arm: Arm) -> Arm:
        """The arm with this experiment's sysctls, open files and link, if it has none of its own."""
        return msgspec.structs.replace(
            arm,
            sysctls=self.sysctls | arm.sysctls,
            open_files=arm.open_files if arm.open_files is not None else self.open_files,
            link_mbit_per_s=arm.link_mbit_per_s if arm.link_mbit_per_s is not None else self.link_mbit_per_s,
        )


class Sweep(msgspec.Struct, forbid_unknown_fields=True):
    """One key of the experiment over a list of values; each point has its own A/A arm."""

    key: Annotated[
        str,
        Meta(
            description="what is varied: `workload.KEY`, `settings.PROGRAM.SETTING`, `sysctls.NAME`,"
            " `link_mbit_per_s`, `open_files` or `placement`, as far as the experiment has that key"
        ),
    ]
    values: Annotated[
        list[Value], Meta(min_length=1, description="its values, in the order of the report; all of the key's type")
    ]
    quick: Annotated[list[Value] | None, Meta(description="the values that `--quick` runs; absent: all")] = None
