"""What `hopcost capacity` is asked of, and what a person sees of its run; imported when the verb runs."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console

from hopcost.cli.shared.ending import end_with, ending_of
from hopcost.cli.shared.output import show_result
from hopcost.cli.shared.requests.app import read_command
from hopcost.cli.shared.requests.front import FrontWords
from hopcost.cli.shared.screen import Screen, report_command
from hopcost.errors import CannotMeasure, Interrupted, MeasurementFailed, UsageError, printable
from hopcost.measure.protocols.capacity.ask import MeasuredCapacity, measure_servers, measure_stacks
from hopcost.measure.protocols.capacity.timing import default_time_s
from hopcost.measure.protocols.capacity.watcher import CapacityWatcher
from hopcost.measure.protocols.front.ask import plan_fronts
from hopcost.measure.protocols.versus.find import Wishes
from hopcost.measure.protocols.versus.run import Question, prepare, prepare_connections
from hopcost.plan.options import RunOptions
from hopcost.plan.plan import Plan
from hopcost.record.secrets import mask_words
from hopcost.report import Format
from hopcost.report.formatting import count, duration
from hopcost.report.live.capacity import watch_capacity
from hopcost.report.questions.capacity import capacity_report
from hopcost.statistics.questions.capacity.question import CapacityQuestion
from hopcost.suites import names, read
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

USUAL_CONNECTIONS = 64
USUAL_TIMEOUT_S = 10


class Stacks(msgspec.Struct, frozen=True):
    """Experiments of a suite, and the arms that are wanted of them; all, if none is named."""

    suite: Suite
    experiments: list[str]
    arms: list[str]


class ServerWords(msgspec.Struct, frozen=True):
    """How servers are asked, as the options say."""

    fields: list[list[str]]
    timeout_s: int
    connections: int
    any_body: bool
    streams: int
    wishes: Wishes


class CapacityScreen(Screen):
    """Says what is looked for, and until when; then it watches the probes."""

    def __init__(self, console: Console, objectives: str) -> None:
        super().__init__(console)
        self.objectives = objectives

    def say(self, line: str) -> None:
        """A line about what is being done."""
        self._say(line)

    @contextmanager
    def run_begins(self, plan: Plan, record: Path) -> Iterator[CapacityWatcher]:
        arms = sum(len(experiment.arms) for experiment in plan.experiments)
        until = time.strftime("%H:%M", time.localtime(time.time() + plan.time_s))
        self._say(f"the highest rate with {self.objectives}")
        self._say(f"{count(arms, 'stack')}: about {duration(plan.time_s)} (until {until}); record: {record}")
        for left in (left for experiment in plan.experiments for left in experiment.left_out):
            self._warn(f"not measured: {left.words()}")
        try:
            with watch_capacity(self.console, plan) as watcher:
                yield watcher
        except (MeasurementFailed, CannotMeasure):
            self._say(f"the record so far: {report_command(record)}")
            raise


def asked_again(
    targets: Sequence[str],
    command: str | None,
    fronts: Sequence[str],
    path: str,
    arms: Sequence[str],
    connections: int | None,
    more: Sequence[str] = (),
) -> str:
    """The words that ask for the same arms under the same connections again, `more` at their end, secrets masked.

    >>> asked_again([], "node server.js", ["nginx"], "/", [], 8)
    "--app 'node server.js' --with nginx -c 8"
    >>> asked_again(["https://localhost"], None, [], "/", [], None, ["--insecure"])
    'https://localhost --insecure'
    """
    words = [*targets]
    if command is not None:
        words += ["--app", command]
    for option, values in (("--with", fronts), ("--path", [path] if path != "/" else []), ("--arm", arms)):
        words += [word for value in values for word in (option, value)]
    if connections is not None:
        words += ["-c", str(connections)]
    return shlex.join(mask_words([*words, *more]))


def server_options(
    http2: Sequence[int],
    streams: int,
    headers: Sequence[str],
    method: str | None,
    body_file: Path | None,
    timeout_s: int,
    *,
    any_body: bool,
    insecure: bool,
) -> list[str]:
    """The options that say how servers are asked, as they are typed.

    >>> server_options([1], 10, ["A: b"], None, None, 10, any_body=False, insecure=True)
    ['--http2', '1', '--streams', '10', '-H', 'A: b', '-k']
    >>> server_options([], 1, [], "PUT", Path("f"), 5, any_body=True, insecure=False)
    ['-m', 'PUT', '-D', 'f', '-T', '5', '--any-body']
    """
    words = [word for number in http2 for word in ("--http2", str(number))]
    words += ["--streams", str(streams)] if streams > 1 else []
    words += [word for header in headers for word in ("-H", header)]
    words += ["-m", method] if method is not None else []
    words += ["-D", str(body_file)] if body_file is not None else []
    words += ["-T", str(timeout_s)] if timeout_s != USUAL_TIMEOUT_S else []
    words += ["--any-body"] if any_body else []
    return words + (["-k"] if insecure else [])


def stacks_of(word: str, arms: Sequence[str], connections: int | None) -> Stacks:
    """`SUITE/EXPERIMENT`, or one arm of it, as `SUITE/EXPERIMENT/ARM`; UsageError for another word."""
    file, in_file, inside = word.rpartition(".toml/")
    *place, last = (inside if in_file else word).split("/")
    if not arms and not word.endswith(".toml") and len(place) == (1 if in_file else 2):
        word, arms = "/".join([file + ".toml", *place] if in_file else place), [last]
    name, experiments = names.choose(word)
    suite = read.read_suite(name)
    experiments = experiments or [suite.experiments[0].name] if len(suite.experiments) == 1 else experiments
    if not experiments:
        known = ", ".join(f"{name}/{experiment.name}" for experiment in suite.experiments)
        raise UsageError(f"{name} has several experiments", f"name one of them: {known}")
    for experiment in experiments:
        suite.experiment(experiment)
    return Stacks(with_connections(suite, connections), experiments, [*arms])


def with_connections(suite: Suite, connections: int | None) -> Suite:
    """The suite with so many connections in all experiments; as it is without a number."""
    if connections is None:
        return suite
    experiments = [
        msgspec.structs.replace(
            experiment, workload=msgspec.structs.replace(experiment.workload, connections=connections)
        )
        for experiment in suite.experiments
    ]
    return msgspec.structs.replace(suite, experiments=experiments)


def stacks_of_app(words: FrontWords, say: Callable[[str], None]) -> Stacks:
    """An app alone and behind its fronts, as `hopcost front` would measure them, in one experiment."""
    plan = plan_fronts(words.request(), say)
    first, *others = plan.complete.experiments
    alike = [first, *(other for other in others if other.workload == first.workload and other.slices is first.slices)]
    arms = list(dict.fromkeys(arm for experiment in alike for arm in experiment.arms))
    together = msgspec.structs.replace(first, name="capacity", arms=arms)
    for left in plan.question.left_out:
        say(f"not measured: {left.words()}")
    return Stacks(msgspec.structs.replace(plan.complete, experiments=[together]), [], [])


def app_words(command: str, fronts: Sequence[str], path: str, headers: Sequence[str], connections: int) -> FrontWords:
    """The app as `hopcost front` would be told it; UsageError for a command that is none."""
    return FrontWords(
        command=read_command("--app", command, "node server.js"),
        fronts=[*fronts],
        path=path,
        headers=[*headers],
        method="GET",
        body_bytes=None,
        connections=connections,
        port=None,
        socket=None,
        is_fastcgi=False,
        script=None,
        needs=[],
        folder=None,
        environment=[],
        rate=None,
        is_quick=False,
    )


def measure_suite(
    stacks: Stacks, question: CapacityQuestion, options: RunOptions, screen: CapacityScreen
) -> MeasuredCapacity:
    """The capacities of stacks that hopcost starts."""
    return measure_stacks(stacks.suite, stacks.experiments, stacks.arms, question, options, screen)


def measure_urls(
    urls: list[str], words: ServerWords, question: CapacityQuestion, options: RunOptions, screen: CapacityScreen
) -> MeasuredCapacity:
    """The capacities of servers that run already."""
    workload = Workload(
        connections=words.connections, streams=words.streams, timeout_s=words.timeout_s, headers=words.fields
    )
    prepared = prepare(Question(urls, workload, words.wishes, any_body=words.any_body, least=1))
    for server in prepared.servers:
        screen.say(printable(server.words))
    screen.say("looking for some seconds how they treat idle connections")
    prepared = prepare_connections(prepared, workload, options.time_s or default_time_s(len(urls)))
    experiments = [msgspec.structs.replace(experiment, name="servers") for experiment in prepared.suite.experiments]
    suite = msgspec.structs.replace(prepared.suite, experiments=experiments)
    return measure_servers(suite, question, options, screen)


def show_capacity(measured: MeasuredCapacity, format: Format, output: Path | None, *, details: bool) -> int:
    """Print the answer, and why the exit code is not 0; the code. Interrupted if somebody stopped the run."""
    answer = measured.answer
    if measured.interrupted and not answer.record.blocks:
        raise Interrupted("before the first start was done: nothing to report")
    show_result(capacity_report(answer, details=details), format, output)
    if measured.interrupted:
        raise Interrupted("the answer tells the results so far")
    ending = ending_of(
        answer.record, well=measured.well, is_answered=answer.is_answered, why_not="no stack has a capacity"
    )
    return end_with(ending)
