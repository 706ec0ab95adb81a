"""Learn the app before it is measured: started once alone, found, asked, loaded, stopped; and once over a socket."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from hopcost.errors import ArmFailed, CannotMeasure
from hopcost.machine import facts
from hopcost.measure.learn import Learned, learn_app
from hopcost.measure.protocols.front.request import FrontRequest
from hopcost.measure.protocols.front.suite import ACCEPT_GZIP, APP, DEBIAN, script_setting
from hopcost.measure.rig import RealRig
from hopcost.plan.cores import place_cores
from hopcost.programs.app import receipt_of_app
from hopcost.programs.receipt import installed
from hopcost.stacks.app.find_port import find_port
from hopcost.stacks.app.listening import ListensElsewhere
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import leftovers, network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.statistics.questions.front.fronts import ALONE, Front
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.read import complete_suite
from hopcost.suites.suite import Suite

LEAST_WARM_UP_REQUESTS = 2000  # for the front's own pools, though the app is warm from its first request
SOCKET_READY_TIMES = 4  # what the app took over TCP: a machine that got busy starts it so much later
SOCKET_READY_S = 5.0  # besides


class AppLearned(msgspec.Struct, frozen=True):
    """The request with what was found out about the app, and what it showed.

    `stop_s` is how long it took to end. `why_no_socket` says why it cannot be reached over a Unix socket, None if it
    can, or was not asked to.
    """

    request: FrontRequest
    learned: Learned
    stop_s: float
    compresses: bool = False
    why_no_socket: str | None = None


class Learning:
    """Starts the app on this machine; `say` hears what is being done."""

    def __init__(self, request: FrontRequest, say: Callable[[str], None]) -> None:
        self._say = say
        self.request = request
        raise_open_files()
        network.leave_the_hosts()
        leftovers.remove_leftovers()
        self._cores = place_cores(Placement.ONE_CORE, facts.allowed_cores(), facts.siblings())
        self._rig = RealRig(Local(find_freezer(), network.find_network()))

    def learn(self) -> AppLearned:
        """What the app shows. ArmFailed with the next step if it cannot be measured as it is."""
        self.request = self._found()
        learned, compresses, stop_s = self._learn_app()
        app = msgspec.structs.replace(
            self.request.app,
            idle_timeout_s=learned.idle_timeout_s,
            warm_up_requests=max(learned.warm_up_requests, LEAST_WARM_UP_REQUESTS),
        )
        self.request = _with_app(self.request, app)
        socket_app = self.request.socket_app if Front.UNIX in self.request.wanted else None
        why = None if socket_app is None else self._why_no_socket(socket_app, learned)
        return AppLearned(self.request, learned, stop_s, compresses, why)

    def _learn_app(self) -> tuple[Learned, bool, float]:
        """What the app shows, whether it compresses its answers, and how long it takes to end."""
        workload, rig = self.request.workload, self._rig
        with self._start(self.request.app, self.request.link) as stack:
            learned = learn_app(stack, workload, rig, self._say)
            with stack.as_client():
                asking = msgspec.structs.replace(workload, headers=[*workload.headers, ACCEPT_GZIP])
                answer = check.ask_as_loaded(stack.arm, stack.prepared.address, asking)
            ends_s = time.monotonic()
        return learned, answer.content_encoding is not None, time.monotonic() - ends_s

    def _found(self) -> FrontRequest:
        """The request with the app's port, if it listens elsewhere than it was told."""
        request, app = self.request, self.request.app
        try:
            listening = find_port(APP, app, request.link, self._cores, self._rig.host)
        except ListensElsewhere as error:
            ports = " or ".join(f"--port {port}" for port in error.ports)
            raise ArmFailed(error.arm, error.message, f"say which: {ports}" if ports else error.hint) from error
        if listening == app:
            return request
        self._say(f"it listens on port {listening.port} whatever it is told; each stack has a network of its own")
        socket_app = None if request.socket_app == app else request.socket_app
        return msgspec.structs.replace(request, app=listening, socket_app=socket_app)

    def _start(self, app: App, link: Link) -> RunningStack:
        """The app in a stack."""
        arm = app_alone(self.request, app, link)
        return RunningStack(ALONE, arm, {}, self._cores, self._rig.host, label="front-learn")

    def _why_no_socket(self, app: App, learned: Learned) -> str | None:
        """Tried: many an app that reads PORT takes a path there, and many do not."""
        self._say("the app is started once more, over a Unix socket")
        trial = msgspec.structs.replace(app, ready_s=SOCKET_READY_TIMES * learned.ready_s + SOCKET_READY_S)
        try:
            with self._start(trial, self.request.socket_link) as stack, stack.as_client():
                check.ask_as_loaded(stack.arm, stack.prepared.address, self.request.workload)
        except ArmFailed as error:
            why = error.message.splitlines()[0].removesuffix("; its last lines:")
            return f"told a socket's path, it did not serve there: {why}"
        return None


def refuse_impossible(request: FrontRequest) -> None:
    """What can be told before anything is started: UsageError for a request that no suite may have.

    CannotMeasure if the app's command is not there, or nginx is not installed: all fronts are compared with that.
    """
    app_alone(request, request.app, request.link)
    for name, receipt in (("your app", receipt_of_app(request.app)), ("nginx", installed("nginx"))):
        if receipt.missing is not None:
            raise CannotMeasure(f"{name}: {receipt.missing}", receipt.remedy)


def app_alone(request: FrontRequest, app: App, link: Link) -> Arm:
    """The app behind nothing; one that speaks FastCGI behind the plainest nginx. UsageError as for a suite's file."""
    hops = [Hop(program=APP, link=link)]
    if request.is_fastcgi:
        hops = [Hop(program="nginx", link=Link.HTTP_TCP, settings=DEBIAN | script_setting(request)), *hops]
    experiment = Experiment(
        name=ALONE, question="?", baseline=ALONE, arms=[ALONE], placement=Placement.ONE_CORE, workload=request.workload
    )
    suite = Suite(name="front", title="", apps={APP: app}, arms={ALONE: Arm(hops=hops)}, experiments=[experiment])
    return complete_suite(suite, Path(app.folder) / "front").arms[ALONE]


def _with_app(request: FrontRequest, app: App) -> FrontRequest:
    """With what was learned of the app, over a socket too: it is the same program."""
    other = request.socket_app
    if other is not None:
        other = msgspec.structs.replace(other, idle_timeout_s=app.idle_timeout_s, warm_up_requests=app.warm_up_requests)
    return msgspec.structs.replace(request, app=app, socket_app=other)
