"""What to measure: the suite file, as a strict structure, and its own consistency.

It must not know how programs start or what this machine is; `plan.py` brings those in.
"""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import msgspec

from hopcost import claim as claiming
from hopcost import published as publishing
from hopcost import sweep as sweeping
from hopcost import toml_file
from hopcost.claim import Claim as Claim
from hopcost.errors import UsageError, nearest
from hopcost.published import Protocol as Protocol
from hopcost.published import Published as Published
from hopcost.sweep import Sweep as Sweep

SUITES = Path(__file__).parent / "suites"
AGAIN = "-aa"  # behind the baseline's name: its second run, the A/A arm

BODY_BYTES_MOST = 64 << 20  # of an upload: the engine is told it whole, and keeps it once

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
SysctlName = Annotated[str, msgspec.Meta(pattern=r"^[a-z]+(\.[A-Za-z0-9_-]+)+$")]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Setting = str | int | bool
Settings = dict[Name, dict[str, Setting]]
HeaderField = Annotated[list[str], msgspec.Meta(min_length=2, max_length=2)]


class Link(Enum):
    """How a hop is reached."""

    HTTP_TCP = "http+tcp"
    HTTP_UNIX = "http+unix"
    FASTCGI_TCP = "fastcgi+tcp"
    FASTCGI_UNIX = "fastcgi+unix"
    HTTPS_TCP = "https+tcp"

    @property
    def is_unix(self) -> bool:
        """Whether the address is a socket file."""
        return self.value.endswith("+unix")


class Placement(Enum):
    """Which cores the stack and the generator get; never silently mixed."""

    ONE_CORE = "one-core"
    ALL_CORES = "all-cores"


class Slices(Enum):
    """How arms take turns: finely, all alive and frozen in between, or one alive at a time in one long slice each."""

    INTERLEAVED = "interleaved"
    WHOLE = "whole"


class Hop(msgspec.Struct, forbid_unknown_fields=True):
    """One program with its settings inside a stack.

    `last_copy` are settings of the last of several copies, over those of all. `config` is a template in place of the
    program's own configuration, `binary` an executable in place of the installed or built one. Both are paths from the
    suite's folder; here they are absolute.
    """

    program: Name
    link: Link
    settings: dict[str, Setting] = {}
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] | None = None
    copies: Positive = 1
    last_copy: dict[str, Setting] = {}
    config: str | None = None
    binary: str | None = None

    def from_folder(self, folder: Path) -> Hop:
        """With its paths made absolute."""
        absolute = {
            key: str((folder / given).resolve())
            for key, given in (("config", self.config), ("binary", self.binary))
            if given is not None
        }
        return msgspec.structs.replace(self, **absolute)


class Arm(msgspec.Struct, forbid_unknown_fields=True):
    """A stack under given settings as one side of a comparison; hops from the client's side to the origin.

    `settings` are by program, over the experiment's; a hop's own win.
    """

    hops: Annotated[list[Hop], msgspec.Meta(min_length=1)]
    title: str = ""
    stand_in: bool = False
    settings: Settings = {}
    sysctls: dict[SysctlName, int | str] = {}
    open_files: Positive | None = None
    link_mbit_per_s: Positive | None = None


class Method(Enum):
    """What a request does."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"

    @property
    def uploads(self) -> bool:
        """Whether it carries a body."""
        return self is not Method.GET


class Workload(msgspec.Struct, forbid_unknown_fields=True):
    """Requests, connections, load shape."""

    connections: Positive = 64
    target: Annotated[str, msgspec.Meta(pattern=r"^/\S*$")] = "/"
    timeout_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 10
    headers: list[HeaderField] = []
    requests_per_connection: Positive | None = None
    method: Method = Method.GET
    body_bytes: Annotated[int, msgspec.Meta(ge=1, le=BODY_BYTES_MOST)] | None = None

    @property
    def body(self) -> bytes | None:
        """What every request carries: the ten digits over and over."""
        if self.body_bytes is None:
            return None
        return (b"0123456789" * (self.body_bytes // 10 + 1))[: self.body_bytes]

    @property
    def header_fields(self) -> list[tuple[str, str]]:
        """The header fields as pairs."""
        return [(name, value) for name, value in self.headers]


class Soak(msgspec.Struct, forbid_unknown_fields=True):
    """A long run of one arm: about nine tenths of the time on it, short slices of the baseline and its copy between."""

    length_s: Annotated[int, msgspec.Meta(ge=10)]


class Experiment(msgspec.Struct, forbid_unknown_fields=True):
    """A question, its arms, its workload, its baseline.

    `control` is the article's own control group: published ratios are taken to it. `settings` are by program and
    yield to a hop's own. `needs_cores` is what the article's conditions take; with fewer the report says so,
    and why (`needs_cores_because`). `slice_s` is the length of a whole slice in a full run. An experiment
    of `weight` 2 gets twice the time of one of 1: more where a block takes long.
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
    sweep: Sweep | None = None
    slices: Slices = Slices.INTERLEAVED
    slice_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] | None = None
    quick: bool = True
    soak: Soak | None = None
    as_published: Protocol | None = None
    sysctls: dict[SysctlName, int | str] = {}
    open_files: Positive | None = None
    link_mbit_per_s: Positive | None = None
    open_loop: bool = True
    weight: Positive = 1

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
    claims: list[Claim] = []

    def experiment(self, name: str) -> Experiment:
        """The experiment of that name, or the point `NAME@VALUE` of one; UsageError with the nearest one otherwise."""
        first, at, value = name.partition(sweeping.AT)
        for experiment in self.experiments:
            if experiment.name != first:
                continue
            if not at:
                return experiment
            values = experiment.sweep.values if experiment.sweep is not None else []
            for each in values:
                if publishing.label(each) == value:
                    return sweeping.at(experiment, each)
            if not values:
                raise UsageError(f"experiment {first} of suite {self.name} has no sweep", f"leave @{value} out")
            raise UsageError(
                f"the sweep of experiment {first} has no value '{value}'",
                nearest(value, [publishing.label(each) for each in values]),
            )
        raise UsageError(
            f"suite {self.name} has no experiment '{first}'", nearest(first, [each.name for each in self.experiments])
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
    return _with_whole_hops(suite, path.parent)


def choose(word: str) -> tuple[str, list[str]]:
    """`SUITE` or `SUITE/EXPERIMENT` as the suite's name or path, and the experiment's name where there is one.

    >>> choose("nginx-go"), choose("nginx-go/one-core@64"), choose("./mine.toml"), choose("./mine.toml/first")
    (('nginx-go', []), ('nginx-go', ['one-core@64']), ('./mine.toml', []), ('./mine.toml', ['first']))
    """
    head, slash, tail = word.rpartition("/")
    if not slash or word.endswith(".toml") or Path(word).is_file():
        return word, []
    if (
        head in names()
        or head.endswith(".toml")
        or Path(head).is_file()
        or ("/" not in head and not head.startswith("."))
    ):
        return head, [tail]
    return word, []


def _with_whole_hops(suite: Suite, folder: Path) -> Suite:
    """An arm's settings laid under those of its hops, and paths made absolute: who starts a stack needs hops alone."""
    replace = msgspec.structs.replace
    arms = {
        name: replace(
            arm,
            hops=[
                replace(hop.from_folder(folder), settings=arm.settings.get(hop.program, {}) | hop.settings)
                for hop in arm.hops
            ],
        )
        for name, arm in suite.arms.items()
    }
    return replace(suite, arms=arms)


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
            if suite.arms[arm].hops[0].link not in (Link.HTTP_TCP, Link.HTTP_UNIX, Link.HTTPS_TCP):
                raise UsageError(
                    f"{where}: arms: '{arm}' is reached over {suite.arms[arm].hops[0].link.value}",
                    "the client speaks HTTP: the first hop's link is http+tcp, http+unix or https+tcp",
                )
        programs = {hop.program for arm in experiment.arms for hop in suite.arms[arm].hops}
        for program in experiment.settings:
            _known(program, programs, f"{where}: settings: no arm uses the program '{program}'")
        _check_load(experiment, programs, where)
    for name, content in suite.arms.items():
        for program in content.settings:
            own = {hop.program for hop in content.hops}
            _known(program, own, f"{path}: arms.{name}: settings: no hop of it is the program '{program}'")
    claiming.check(suite.claims, suite.experiments, suite.arms, path)


def _check_load(experiment: Experiment, programs: set[str], where: str) -> None:
    """How it is loaded: sweep, soak, whole slices, header fields, the article's figures and its protocol."""
    if experiment.sweep is not None:
        sweeping.check(experiment, where)
        words = experiment.sweep.key.split(".")
        if words[0] == "settings":
            _known(words[1], programs, f"{where}: sweep.key: no arm uses the program '{words[1]}'")
    if experiment.slice_s is not None and experiment.slices is not Slices.WHOLE:
        raise UsageError(f"{where}: slice_s: the slices are interleaved", 'slices = "whole"')
    if experiment.soak is not None:
        if len(experiment.arms) != 2:
            raise UsageError(
                f"{where}: soak: {len(experiment.arms)} arms", "two: the one that is soaked, and a baseline beside it"
            )
        if experiment.slices is Slices.WHOLE:
            raise UsageError(f"{where}: soak: not in whole slices", "a soak has slices of its own: leave `slices` out")
    for name, value in experiment.workload.headers:
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search(r"[\x00-\x1f\x7f]", value):
            raise UsageError(f"{where}: workload.headers: [{name!r}, {value!r}] is no header field")
        if name.lower() in ("connection", "content-length", "transfer-encoding", "host"):
            raise UsageError(
                f"{where}: workload.headers: {name} is hopcost's own to send",
                "requests_per_connection says how long connections are kept",
            )
    _check_upload(experiment, where)
    points = experiment.sweep.values if experiment.sweep is not None else None
    publishing.check_rows(experiment.published, experiment.arms, points, experiment.control, where)
    if experiment.as_published is not None:
        publishing.check_protocol(experiment.as_published, where)


def _check_upload(experiment: Experiment, where: str) -> None:
    """A body and a method that carries one belong together; the size may be what a sweep says."""
    method, swept = experiment.workload.method, experiment.sweep is not None and experiment.sweep.key
    has_body = experiment.workload.body_bytes is not None or swept == "workload.body_bytes"
    if has_body and not method.uploads:
        raise UsageError(f"{where}: workload.body_bytes: a GET carries no body", 'method = "POST" or "PUT"')
    if method.uploads and not has_body:
        raise UsageError(
            f"{where}: workload.method: a {method.value} of nothing", "body_bytes says how much it carries"
        )


def _known(word: str, known: Any, message: str) -> None:
    if word not in known:
        raise UsageError(message, nearest(word, known))
