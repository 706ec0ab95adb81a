"""A plan as it stands in the record: experiments with everything decided that can be decided before they start."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.plan.cores import Cores
from hopcost.plan.method import METHOD
from hopcost.plan.turns import Scope, Turns
from hopcost.plan.until import Until
from hopcost.suites.arms.arm import Arm, Settings
from hopcost.suites.articles.published import Protocol, Published, Value
from hopcost.suites.experiments.restart import Restart
from hopcost.suites.experiments.shown import ShownTable
from hopcost.suites.experiments.workload import Reopening, Workload


class LeftOut(msgspec.Struct, frozen=True):
    """An arm or experiment that does not run here, why, and the command that installs it."""

    name: Annotated[str, Meta(description="the arm or experiment")]
    reason: Annotated[str, Meta(description="why it does not run here")]
    remedy: Annotated[str | None, Meta(description="what installs it")] = None

    def words(self) -> str:
        """`nginx: it is not installed; hint: apt-get install nginx`."""
        return f"{self.name}: {self.reason}" + (f"; hint: {self.remedy}" if self.remedy else "")


class PlannedArm(msgspec.Struct, frozen=True):
    """An arm to run; `copy_of` names the baseline when this is its second run, the A/A arm."""

    name: Annotated[str, Meta(description="its name")]
    arm: Annotated[Arm, Meta(description="as in the suite")]
    copy_of: Annotated[str | None, Meta(description="the baseline's name in the A/A arm")] = None


class Point(msgspec.Struct, frozen=True):
    """Which value of a sweep an experiment is."""

    experiment: Annotated[str, Meta(description="the sweep's name")]
    key: Annotated[str, Meta(description="what is varied")]
    value: Annotated[Value, Meta(description="its value here")]


class PlannedExperiment(msgspec.Struct, frozen=True):
    """An experiment with everything decided that can be decided before it starts.

    Before each slice an arm is loaded for `settle_ns` that do not count: after the other arms' slices its memory is
    out of the caches, and its queues are not what they are in a run alone. With 1000 connections that takes 300 ms
    (method-why.md). The lengths of the rounds' slices differ, lest visits fall into step with what comes and goes
    in an arm; all rounds together take as long. If open files do not hold all arms, each group of them is an
    experiment of its own, and `group_of` names the suite's (`plan/groups.py`).
    """

    name: Annotated[str, Meta(description="its name")]
    question: Annotated[str, Meta(description="its question")]
    baseline: Annotated[
        str, Meta(description="the baseline in use; another than the suite's if that is left out, with a note")
    ]
    arms: Annotated[list[PlannedArm], Meta(description="the arms that run here, the A/A arm last")]
    cores: Annotated[Cores, Meta(description="which cores the stack and the generator get")]
    workload: Annotated[Workload, Meta(description="as in the suite, with defaults")]
    settle_ns: Annotated[int, Meta(description="how long an arm is loaded before each of its slices, uncounted")]
    slice_ns: Annotated[int, Meta(description="length of a slice")]
    settings: Annotated[Settings, Meta(description="as in the suite")]
    left_out: Annotated[list[LeftOut], Meta(description="arms that do not run here")]
    notes: Annotated[list[str], Meta(description="what a reader of the result must know")]
    published: Annotated[list[Published], Meta(description="as in the suite")]
    published_conditions: Annotated[str, Meta(description="as in the suite")]
    control: Annotated[str | None, Meta(description="as in the suite")]
    turns: Annotated[
        Turns,
        Meta(
            description="how arms take turns: `all` in slices; `whole`: one arm alive at a time; `soak`: one for long,"
            " the baseline in between"
        ),
    ] = Turns.ALL
    slice_jitter: Annotated[
        float, Meta(description="by what share of that length the rounds' slices are longer or shorter at most")
    ] = 0.0
    slice_ns_least: Annotated[int | None, Meta(description="whole slices are not made shorter than this")] = None
    connections_asked: Annotated[int | None, Meta(description="those of the suite, if fewer fit here")] = None
    point: Annotated[Point | None, Meta(description="of a sweep")] = None
    soak_s: Annotated[float | None, Meta(description="how long the soak is to last here")] = None
    soak_asked_s: Annotated[int | None, Meta(description="how long the article's lasted")] = None
    as_published: Annotated[Protocol | None, Meta(description="the article's protocol")] = None
    protocol_connections: Annotated[int | None, Meta(description="connections of the protocol as they fit here")] = None
    open_loop_shares: Annotated[
        list[float], Meta(description="of the slowest arm's throughput, offered to all arms after the closed loop")
    ] = []
    open_loop_rates: Annotated[
        list[float],
        Meta(description="offered loads that `--rate` or the suite names, in requests per second, in place of shares"),
    ] = []
    weight: Annotated[float, Meta(description="its part of the run's time, beside the others' weights")] = 1
    scope: Annotated[
        Scope,
        Meta(
            description="what its ranges are of: `starts` of programs that hopcost starts anew, or `processes` that run"
            " already and are only connected to anew; the two are never pooled"
        ),
    ] = Scope.STARTS
    restart_spread: Annotated[
        float | None,
        Meta(
            description="of running servers: by how much starts of the same programs differed in throughput in an"
            " earlier record, as a share; null: no record knows"
        ),
    ] = None
    opened_each_turn: Annotated[
        list[str],
        Meta(description="why connections live for one turn of their arm only; empty: for all turns of a block"),
    ] = []
    restart: Annotated[Restart | None, Meta(description="as in the suite")] = None
    table: Annotated[ShownTable, Meta(description="as in the suite")] = ShownTable.THROUGHPUT
    group_of: Annotated[
        str | None, Meta(description="the suite's experiment whose arms are measured in groups, of which this is one")
    ] = None

    @property
    def loads(self) -> int:
        """How many loads are offered after the closed loop."""
        return len(self.open_loop_rates or self.open_loop_shares)

    @property
    def suite_name(self) -> str:
        """Its name in the suite, with the value if it is a point of a sweep."""
        return self.group_of or self.name

    @property
    def reopening(self) -> Reopening | None:
        """How connections of arms with several workers are opened anew before each round; None: they are kept.

        Which worker gets how many connections is then the luck of a round, no longer of a whole start.
        """
        workload = self.workload
        is_possible = (
            self.turns.interleave
            and workload.requests_per_connection is None
            and workload.connections <= METHOD.max_reopened_connections
        )
        return workload.reopening if is_possible and workload.reopening is not Reopening.ONCE else None

    @property
    def opening(self) -> Reopening:
        """How connections that live for one turn are opened.

        One after the other takes long if they are very many, and for ever if each is closed behind its answer.
        """
        servers = [arm.arm.server for arm in self.arms if arm.arm.server is not None]
        is_short = all(server.keeps_connections for server in servers)
        is_short = is_short and self.workload.connections <= METHOD.max_reopened_connections
        return Reopening.SPREAD if is_short else Reopening.BURST

    def requests_at_a_time(self, name: str) -> int:
        """How many requests an arm can be asked at a time: one on each connection, over HTTP/2 one on each stream."""
        is_http2 = any(arm.arm.is_http2 for arm in self.arms if arm.name == name)
        return self.workload.connections * (self.workload.streams if is_http2 else 1)

    @property
    def copied_arm(self) -> str:
        """The arm that has a copy, as the baseline was planned; the baseline if none has."""
        return next((arm.copy_of for arm in self.arms if arm.copy_of is not None), self.baseline)

    @property
    def copy(self) -> str | None:
        """The name of the copy (the A/A arm); None if there is none."""
        return next((arm.name for arm in self.arms if arm.copy_of is not None), None)


class Plan(msgspec.Struct, frozen=True):
    """The ordered work that a suite means here."""

    suite: Annotated[str, Meta(description="its name")]
    title: Annotated[str, Meta(description="its title")]
    analysis: Annotated[str, Meta(description="its analysis")]
    quick: Annotated[bool, Meta(description="whether `--quick` was given")]
    seed: Annotated[int, Meta(description="the run's seed; each block's is derived from it")]
    time_s: Annotated[float, Meta(description="time for all experiments")]
    warm_up_least_ns: Annotated[int, Meta(description="an arm's warm-up lasts at least so long")]
    warm_up_most_ns: Annotated[int, Meta(description="and at most so long, plateau or not")]
    precision: Annotated[
        float,
        Meta(description="half-width of the ratios' intervals at which an experiment ends, as a share of the ratio"),
    ]
    margin: Annotated[float, Meta(description="a difference up to this much counts as none, as a share of the ratio")]
    experiments: Annotated[list[PlannedExperiment], Meta(description="those that run here")]
    left_out: Annotated[list[LeftOut], Meta(description="experiments that do not")]
    not_quick: Annotated[list[str], Meta(description="experiments and points that `--quick` leaves out")] = []
    until: Annotated[
        Until, Meta(description="what ends an experiment before its time: its precision, or that arms are decided")
    ] = Until.PRECISION
    decide: Annotated[list[str], Meta(description="the arms to be decided; none is named: all")] = []
    peer: Annotated[str | None, Meta(description="the generator in the engine's place; null: the engine")] = None
    as_published: Annotated[bool, Meta(description="whether the articles' own protocols were followed")] = False
    scale: Annotated[float, Meta(description="of the protocols' requests and durations")] = 1.0
    on_busy_machine: Annotated[
        bool,
        Meta(description="whether `--anyway` was given: what the machine did makes a block suspect; no verdicts"),
    ] = False
    on_mixed_hosts: Annotated[
        bool, Meta(description="whether `--mixed` was given: sites of a fleet are not alike, and there are no verdicts")
    ] = False
