"""What to measure: the suite file, as a strict structure, and its own consistency.

It must not know how programs start or what this machine is; `plan.py` brings those in.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import msgspec

from hopcost import toml_file
from hopcost.errors import UsageError, nearest

SUITES = Path(__file__).parent / "suites"
AGAIN = "-aa"  # behind the baseline's name: its second run, the A/A arm

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
SysctlName = Annotated[str, msgspec.Meta(pattern=r"^[a-z]+(\.[A-Za-z0-9_-]+)+$")]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Setting = str | int | bool
Settings = dict[Name, dict[str, Setting]]


class Link(Enum):
    """How a hop is reached."""

    HTTP_TCP = "http+tcp"
    HTTP_UNIX = "http+unix"
    FASTCGI_TCP = "fastcgi+tcp"
    FASTCGI_UNIX = "fastcgi+unix"

    @property
    def is_unix(self) -> bool:
        """Whether the address is a socket file."""
        return self.value.endswith("+unix")


class Placement(Enum):
    """Which cores the stack and the generator get; never silently mixed."""

    ONE_CORE = "one-core"
    ALL_CORES = "all-cores"


class Hop(msgspec.Struct, forbid_unknown_fields=True):
    """One program with its settings inside a stack."""

    program: Name
    link: Link
    settings: dict[str, Setting] = {}
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] | None = None


class Arm(msgspec.Struct, forbid_unknown_fields=True):
    """A stack under given settings as one side of a comparison; hops from the client's side to the origin."""

    hops: Annotated[list[Hop], msgspec.Meta(min_length=1)]
    title: str = ""
    stand_in: bool = False
    sysctls: dict[SysctlName, int | str] = {}
    open_files: Positive | None = None
    link_mbit_per_s: Positive | None = None


class Workload(msgspec.Struct, forbid_unknown_fields=True):
    """Requests, connections, load shape."""

    connections: Positive = 64
    target: Annotated[str, msgspec.Meta(pattern=r"^/\S*$")] = "/"
    timeout_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 10


class Published(msgspec.Struct, forbid_unknown_fields=True):
    """An arm's figures as an article printed them, under the article's conditions."""

    arm: Name
    throughput_per_s: Annotated[float, msgspec.Meta(gt=0)]
    latency_mean_ms: float | None = None
    latency_stdev_ms: float | None = None
    latency_max_ms: float | None = None
    requests: int | None = None
    duration_s: float | None = None
    errors: dict[str, int] = {}


class Experiment(msgspec.Struct, forbid_unknown_fields=True):
    """A question, its arms, its workload, its baseline.

    `control` is the article's own control group: published ratios are taken to it. `settings` are by program and
    yield to a hop's own. `needs_cores` is what the article's conditions take; with fewer the report says so,
    and why (`needs_cores_because`).
    """

    name: Name
    question: str
    baseline: Name
    arms: Annotated[list[Name], msgspec.Meta(min_length=1)]
    placement: Placement
    workload: Workload = msgspec.field(default_factory=Workload)
    settings: Settings = {}
    needs_cores: Positive = 1
    needs_cores_because: str = ""
    published: list[Published] = []
    published_conditions: str = ""
    control: Name | None = None
    sysctls: dict[SysctlName, int | str] = {}
    open_files: Positive | None = None
    link_mbit_per_s: Positive | None = None

    def surrounded(self, arm: Arm) -> Arm:
        """The arm with this experiment's sysctls, open files and link where it has none of its own."""
        return msgspec.structs.replace(
            arm,
            sysctls=self.sysctls | arm.sysctls,
            open_files=arm.open_files if arm.open_files is not None else self.open_files,
            link_mbit_per_s=arm.link_mbit_per_s if arm.link_mbit_per_s is not None else self.link_mbit_per_s,
        )


class Article(msgspec.Struct, forbid_unknown_fields=True):
    """Where the published figures come from."""

    title: str
    author: str
    date: str
    source: str


class Suite(msgspec.Struct, forbid_unknown_fields=True):
    """A file of experiments; one per article."""

    name: Name
    title: str
    arms: dict[Name, Arm]
    experiments: Annotated[list[Experiment], msgspec.Meta(min_length=1)]
    article: Article | None = None
    analysis: str = ""

    def experiment(self, name: str) -> Experiment:
        """The experiment of that name; UsageError with the nearest one otherwise."""
        for experiment in self.experiments:
            if experiment.name == name:
                return experiment
        raise UsageError(
            f"suite {self.name} has no experiment '{name}'", nearest(name, [each.name for each in self.experiments])
        )


def names() -> list[str]:
    """The suites that come with hopcost."""
    return sorted(path.stem for path in SUITES.glob("*.toml"))


def load(name_or_path: str) -> Suite:
    """The suite of that name, or in the TOML file at that path.

    A word with a slash or with the ending `.toml` is a path. UsageError when there is none, or when it contradicts
    itself.
    """
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        path = Path(name_or_path)
    elif name_or_path in names():
        path = SUITES / f"{name_or_path}.toml"
    else:
        raise UsageError(
            f"no suite is called '{name_or_path}'",
            nearest(name_or_path, names()) + "; a path to a file ends in .toml",
        )
    suite = toml_file.read(path, Suite)
    _check(suite, path)
    return suite


def _check(suite: Suite, path: Path) -> None:
    """Names that refer to nothing, the same name twice or taken, an arm that is not in the experiment."""
    seen: set[str] = set()
    for number, experiment in enumerate(suite.experiments):
        where = f"{path}: experiments[{number}] ({experiment.name})"
        if experiment.name in seen:
            raise UsageError(f"{where}: name: a second experiment of this name")
        seen.add(experiment.name)
        for arm in experiment.arms:
            _known(arm, suite.arms, f"{where}: arms: no [arms.{arm}] in this file")
        if len(set(experiment.arms)) != len(experiment.arms):
            raise UsageError(
                f"{where}: arms: the same arm twice", "the baseline's second run is added by hopcost itself"
            )
        for arm in experiment.arms:
            if arm.endswith(AGAIN) and (first := arm.removesuffix(AGAIN)) in experiment.arms:
                raise UsageError(
                    f"{where}: arms: '{arm}' is what hopcost calls the second run of '{first}'", "give it another name"
                )
        _known(
            experiment.baseline, experiment.arms, f"{where}: baseline: '{experiment.baseline}' is not one of its arms"
        )
        if suite.arms[experiment.baseline].stand_in:
            raise UsageError(
                f"{where}: baseline: '{experiment.baseline}' is a stand-in", "it runs only where others cannot"
            )
        for arm in experiment.arms:
            if suite.arms[arm].hops[0].link not in (Link.HTTP_TCP, Link.HTTP_UNIX):
                raise UsageError(
                    f"{where}: arms: '{arm}' is reached over {suite.arms[arm].hops[0].link.value}",
                    "the client speaks HTTP: the first hop's link is http+tcp or http+unix",
                )
        _check_published(experiment, where)
        programs = {hop.program for arm in experiment.arms for hop in suite.arms[arm].hops}
        for program in experiment.settings:
            _known(program, programs, f"{where}: settings: no arm uses the program '{program}'")


def _check_published(experiment: Experiment, where: str) -> None:
    """Each arm's figures once, and the control group among them."""
    rows = [row.arm for row in experiment.published]
    for number, arm in enumerate(rows):
        _known(arm, experiment.arms, f"{where}: published: '{arm}' is not one of its arms")
        if arm in rows[:number]:
            raise UsageError(f"{where}: published: '{arm}' stands there twice")
    if rows and experiment.control is None:
        raise UsageError(f"{where}: control: missing, and published ratios are taken to it", nearest("", rows))
    if experiment.control is not None:
        message = f"{where}: control: '{experiment.control}' is not published"
        if not rows:
            raise UsageError(message, "an article's figures stand in [[experiments.published]]")
        _known(experiment.control, rows, message)


def _known(word: str, known: Any, message: str) -> None:
    if word not in known:
        raise UsageError(message, nearest(word, known))
