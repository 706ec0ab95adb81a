"""An experiment of a suite file, as a strict structure: its arms, its workload, its baseline."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.arm import Arm, ArmName, Name, Positive, Settings, SysctlName
from hopcost.suites.articles.published import Protocol, Published, Value
from hopcost.suites.experiments.beside import IdleConnections, SlowClients
from hopcost.suites.experiments.expect import Expect
from hopcost.suites.experiments.request import BodyBytes, BodyText, HeaderField, Method, MixedRequest, RatePerS, Target
from hopcost.suites.experiments.soak import Soak


class Placement(Enum):
    """Which cores the stack and the generator get; never silently mixed."""

    ONE_CORE = "one-core"
    ALL_CORES = "all-cores"


class Slices(Enum):
    """How arms take turns: finely, all alive and frozen in between, or one alive at a time in one long slice each."""

    INTERLEAVED = "interleaved"
    WHOLE = "whole"


class Reopening(Enum):
    """How connections are opened anew before each round, if the first hop of an arm has several workers."""

    SPREAD = "spread"
    BURST = "burst"
    ONCE = "once"


class Workload(msgspec.Struct, forbid_unknown_fields=True):
    """Requests, connections, load shape."""

    connections: Annotated[
        Positive, Meta(description="connections that are always busy (closed loop), over all threads of the generator")
    ] = 64
    slow_clients: Annotated[
        SlowClients | None,
        Meta(
            description="connections beside these that read and write slowly, with figures of their own: `{ number ="
            " 1000, bytes_per_s = 30000 }`"
        ),
    ] = None
    idle_connections: Annotated[
        IdleConnections | None,
        Meta(
            description="connections beside these that are kept open and seldom used, with figures of their own: `{"
            ' number = 5000, every = "30s" }`'
        ),
    ] = None
    target: Annotated[Target, Meta(description="path and query of the request")] = "/"
    timeout_s: Annotated[
        int,
        Meta(
            ge=1,
            le=3600,
            description="a request without a complete answer after this time on the arm's clock is a `timeout` error",
        ),
    ] = 10
    headers: Annotated[
        list[HeaderField],
        Meta(
            description='header fields of every request, the check\'s too: `[["Accept-Encoding", "gzip"]]`; `Host` is'
            " `localhost` unless it stands here; `Connection` is hopcost's own"
        ),
    ] = []
    requests_per_connection: Annotated[
        Positive | None,
        Meta(
            description="after so many requests a connection is closed, and opened anew for the next; 1: a connection"
            " per request; absent: kept for ever"
        ),
    ] = None
    streams: Annotated[
        Positive,
        Meta(
            description="requests at a time on each connection to a first hop that is reached over `http2+tls`; the"
            " others have one"
        ),
    ] = 1
    method: Annotated[Method, Meta(description="what a request does; POST and PUT carry a body")] = Method.GET
    body_bytes: Annotated[
        BodyBytes | None,
        Meta(
            description="how much each POST or PUT carries, up to 64 MiB: the ten digits over and over. The embedded"
            " origin's `/echo-length` answers with the length that arrived"
        ),
    ] = None
    body_text: Annotated[BodyText | None, Meta(description="what each carries, in place of `body_bytes`")] = None
    reopening: Annotated[
        Reopening,
        Meta(
            description="how connections are opened anew before each round, if the first hop has several workers: one"
            " after the other, as clients come (`spread`); all at once (`burst`); not at all, each start keeps those"
            " that it had (`once`)"
        ),
    ] = Reopening.SPREAD
    expect: Annotated[
        Expect,
        Meta(description='what every answer must be, before and under load: `expect = { compared = "length" }`'),
    ] = msgspec.field(default_factory=Expect)
    mix: Annotated[
        list[MixedRequest] | None,
        Meta(
            description="several requests in turns, one `[[experiments.workload.mix]]` each. Of each the arms' answers"
            " are compared, before load and under it"
        ),
    ] = None

    @property
    def beside(self) -> int:
        """How many slow clients and idle connections there are."""
        return sum(kind.number for kind in (self.slow_clients, self.idle_connections) if kind is not None)

    @property
    def body(self) -> bytes | None:
        """What every request carries: its text, or the ten digits over and over."""
        if self.body_text is not None:
            return self.body_text.encode()
        if self.body_bytes is None:
            return None
        return (b"0123456789" * (self.body_bytes // 10 + 1))[: self.body_bytes]

    @property
    def header_fields(self) -> list[tuple[str, str]]:
        """The header fields as pairs."""
        return [(name, value) for name, value in self.headers]


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
