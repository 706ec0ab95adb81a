"""The suite file as a strict structure: its arms, its experiments, its article."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import UsageError, nearest
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, ArmName, Name
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.articles import published as publishing
from hopcost.suites.articles.claim import Claim
from hopcost.suites.experiments import sweep as sweeping
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.sweep import AT


class Article(msgspec.Struct, forbid_unknown_fields=True):
    """Where the published figures come from."""

    title: Annotated[str, Meta(description="the article's title")]
    author: Annotated[str, Meta(description="who wrote it")]
    date: Annotated[str, Meta(description="when it appeared; any text, `2013-12-15` is good")]
    source: Annotated[str, Meta(description="where it stands")]


class Suite(msgspec.Struct, forbid_unknown_fields=True):
    """A file of experiments; one per article."""

    name: Annotated[Name, Meta(description="names the suite in reports and in the record's directory")]
    title: Annotated[str, Meta(description="one line, the head of every report")]
    arms: Annotated[
        dict[ArmName, Arm], Meta(description="the arms that experiments choose from, by name: `[arms.NAME]`")
    ]
    experiments: Annotated[
        list[Experiment],
        Meta(min_length=1, description="the experiments in the order in which they run: `[[experiments]]`"),
    ]
    article: Annotated[Article | None, Meta(description="where published figures come from: `[article]`")] = None
    analysis: Annotated[str, Meta(description="prose about what the results mean; kept in the record")] = ""
    apps: Annotated[
        dict[Name, App], Meta(description="your own programs, by the name that hops have for them: `[apps.NAME]`")
    ] = {}
    configurations: Annotated[
        dict[Name, Configuration],
        Meta(description="your own nginx.conf, by the name that hops have for it: `[configurations.NAME]`"),
    ] = {}
    claims: Annotated[
        list[Claim], Meta(description="what the article says, to be tested by `hopcost claims`: `[[claims]]`")
    ] = []

    def experiment(self, name: str) -> Experiment:
        """The experiment of that name, or the point `NAME@VALUE` of one; UsageError with the nearest one otherwise."""
        first, at, value = name.partition(AT)
        for experiment in self.experiments:
            if experiment.name != first:
                continue
            if not at:
                return experiment
            values = experiment.sweep.values if experiment.sweep is not None else []
            for swept in values:
                if publishing.label(swept) == value:
                    return sweeping.experiment_at(experiment, swept)
            if not values:
                raise UsageError(f"experiment {first} of suite {self.name} has no sweep", f"leave @{value} out")
            raise UsageError(
                f"the sweep of experiment {first} has no value '{value}'",
                nearest(value, map(publishing.label, values)),
            )
        names = [experiment.name for experiment in self.experiments]
        raise UsageError(f"suite {self.name} has no experiment '{first}'", nearest(first, names))
