"""Starts the user's files in their jail, once, for a look: as they are, or with edits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from hopcost.errors import ArmFailed
from hopcost.machine import facts
from hopcost.measure.protocols.conf.behind import origin_that_echoes
from hopcost.measure.protocols.conf.looks.burst import MOST_CONNECTIONS, ROUNDS, send_burst
from hopcost.measure.protocols.conf.looks.shown import Shown, why_without_effect
from hopcost.measure.protocols.conf.plan import AppStack, ScreenedStack
from hopcost.measure.protocols.conf.suite import APP
from hopcost.measure.rig import RealRig
from hopcost.nginx.ablations import Receipt
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.diff import unified_diff
from hopcost.nginx.needs.files import prefixed
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.secrets import hide_secrets
from hopcost.nginx.tree import walk
from hopcost.nginx.upstreams import find_upstreams
from hopcost.plan.cores import Cores, place_cores
from hopcost.record.secrets import mask_text
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import NO_ANSWER, HttpAnswer
from hopcost.stacks.host import Local
from hopcost.stacks.jail.handshakes import agreed_protocol, resumes_sessions
from hopcost.stacks.jail.held import cached_files, open_files
from hopcost.stacks.jail.look import JailLook, look_at
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import leftovers, network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.stacks.under_load.receipts import count_listening
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.read import complete_suite
from hopcost.suites.suite import Suite

SITE = "as-is"  # the arm of a look
FEW, BURST_S = 2, 1.0  # connections of a burst, and about how long it may take where answers are slow
LOGS_S = 0.02  # after which nginx has noticed that its clients are gone


class Starter:
    """Starts one stack at a time on this machine."""

    def __init__(self) -> None:
        raise_open_files()
        network.leave_the_hosts()
        leftovers.remove_leftovers()
        self.cores: Cores = place_cores(Placement.ONE_CORE, facts.allowed_cores(), facts.siblings())
        self.rig = RealRig(Local(find_freezer(), network.find_network()))

    def start(self, configuration: Configuration, link: Link, behind: Hop | None, app: App | None) -> RunningStack:
        """The configuration before its app or the origin; entered, it runs."""
        arm = arm_of(configuration, link, behind, app)
        return RunningStack(SITE, arm, {}, self.cores, self.rig.host, label="conf-look")


def arm_of(configuration: Configuration, link: Link, behind: Hop | None, app: App | None) -> Arm:
    """The arm as a run would have it. UsageError as for a suite's file."""
    hops = [Hop(program=SITE, link=link), *([behind] if behind is not None else [])]
    suite = Suite(
        name="conf",
        title="",
        apps={} if app is None else {APP: app},
        configurations={SITE: configuration},
        arms={SITE: Arm(hops=hops)},
        experiments=[Experiment(name="look", question="?", baseline=SITE, arms=[SITE], placement=Placement.ONE_CORE)],
    )
    return complete_suite(suite, Path(configuration.file).parent / "conf").arms[SITE]


class BurstFailed(ArmFailed):
    """nginx answers one request, and not as many at once."""


class RealTrials:
    """Starts the user's files with edits, before the origin or the app, and asks: the answer must stay the same."""

    def __init__(
        self, starter: Starter, stack: ScreenedStack, text: ConfigurationText, app: AppStack | None = None
    ) -> None:
        self._starter, self._stack, self._text, self._app = starter, stack, text, app
        caches = (found.directive for found in walk(text) if found.directive.name.endswith("_cache_path"))
        self._caches = [prefixed(cache.first) for cache in caches if cache.args]
        self._has_sockets = any(upstream.path for upstream in find_upstreams(text))  # whose connections nobody counts
        self._connections = min(stack.workload.connections, MOST_CONNECTIONS)
        self.notes: list[str] = []  # what differs from the user's files
        self.as_is = self._show_as_is()

    def refusal(self, edits: Sequence[Edit]) -> str | None:
        """Why nginx does not start with them, or answers otherwise; None if it does as before."""
        return self.try_change(edits, Receipt.NONE)

    def try_change(self, edits: Sequence[Edit], receipt: Receipt) -> str | None:
        """The same; also why nothing shows that the edits had their effect."""
        try:
            shown = self._show(edits, in_full=receipt is not Receipt.NONE)
            expect = self._stack.workload.expect
            check.compare_answers("the file as it is", self.as_is.answer, SITE, shown.answer, expect)
            if receipt is Receipt.REQUEST:
                changed = msgspec.structs.replace(shown, head_bytes=self._head_that_arrives(edits))
                as_is = msgspec.structs.replace(self.as_is, head_bytes=self._head_as_is)
                return why_without_effect(as_is, changed, receipt)
        except ArmFailed as error:
            return why_refused(error.message)
        except ValueError as error:  # edits that overlap
            return str(error)
        return why_without_effect(self.as_is, shown, receipt)

    def app_refusal(self, edits: Sequence[Edit]) -> str | None:
        """How the user's app answers with them, if not as before; None also where there is no app."""
        app = self._app
        if app is None:
            return None
        try:
            as_is, answer = self._app_as_is, self._ask_app(app, edits)
            if answer.status != as_is.status:
                return f"the app answers {answer.status} with it, not {as_is.status}"
            check.compare_answers("the file as it is", as_is, SITE, answer, app.workload.expect)
        except ArmFailed as error:
            return why_refused(error.message)
        return None

    @cached_property
    def _app_as_is(self) -> HttpAnswer:
        assert self._app is not None, "whoever asks has looked"
        return self._ask_app(self._app, [])

    def _ask_app(self, app: AppStack, edits: Sequence[Edit]) -> HttpAnswer:
        """The app's answer through nginx, in a start of its own."""
        screened = self._stack
        with self._starter.start(screened.edited(edits), screened.link, app.hop, app.app) as stack:
            return ask(stack, app.workload)

    def diff(self, edits: Sequence[Edit]) -> str:
        """The unified diff of the user's own text, secrets masked."""
        return mask_text(hide_secrets(self._text, self.plain_diff(edits)))

    def plain_diff(self, edits: Sequence[Edit]) -> str:
        """The same with secrets as they stand."""
        return unified_diff(self._text, edits)

    @cached_property
    def _head_as_is(self) -> int | None:
        return self._head_that_arrives([])

    def _head_that_arrives(self, edits: Sequence[Edit]) -> int | None:
        """Bytes of the request's head, in a start of its own before an origin that tells them; None if it cannot."""
        screened = self._stack
        if screened.origin is None:
            return None
        echoing = origin_that_echoes(screened.origin)
        with self._starter.start(screened.edited(edits), screened.link, echoing, None) as stack:
            said = ask(stack, screened.workload).decoded.strip()
        return int(said) if said.isdigit() else None

    def _show_as_is(self) -> Shown:
        """With as many requests at once as it answers: too few `worker_connections` are a trap, and no end."""
        while self._connections:
            try:
                return self._show([], in_full=True)
            except BurstFailed:
                self._connections //= 2
        return self._show([], in_full=False)

    def _show(self, edits: Sequence[Edit], *, in_full: bool) -> Shown:
        """One start with its answer; `in_full` with all that a few requests at once show."""
        screened = self._stack
        with self._starter.start(screened.edited(edits), screened.link, screened.origin, None) as stack:
            before, began_s = look_at(stack), time.monotonic()
            answer = ask(stack, screened.workload)
            took_s = time.monotonic() - began_s
            if not edits:
                self.notes = [note for hop in stack.prepared.hops if hop.jail is not None for note in hop.jail.notes]
            if not in_full or not self._connections:
                return Shown(answer)
            if not edits:
                self._connections = min(self._connections, max(FEW, int(BURST_S / ROUNDS / took_s)))
            return self._shown(stack, before, answer)

    def _shown(self, stack: RunningStack, before: JailLook, answer: HttpAnswer) -> Shown:
        try:
            burst = send_burst(stack, self._stack.workload, self._connections)
        except NO_ANSWER as error:
            raise BurstFailed(SITE, f"no answer to {self._connections} requests at once: {error!r}") from error
        time.sleep(LOGS_S)
        seen, opened = look_at(stack).since(before), burst.opened + 1
        hop, address = stack.prepared.hops[0], stack.prepared.address
        with stack.as_client():
            resumes = resumes_sessions(address, self._stack.workload.target, self._stack.workload.header_fields)
            protocol = agreed_protocol(address)
        return Shown(
            answer,
            log_bytes=sum(seen.log_bytes.values()),
            connections=self._connections,
            opened=opened,
            behind=None if seen.accepted is None or self._has_sockets else max(0, seen.accepted - opened),
            temporary_files=seen.temporary_files,
            cached_files=cached_files(stack, self._caches),
            open_files=open_files(stack),
            listening=count_listening(stack.processes[hop.name], address.port),
            resumes=resumes,
            protocol=protocol,
            requests=burst.connections * ROUNDS + 1,
            packets=seen.packets,
            without_login=_status_without_login(stack, self._stack.workload),
        )


def why_refused(message: str) -> str:
    """An arm's failure in a line: what nginx said last, if it did not start.

    >>> why_refused("as-is ended with exit code 1; its last lines:\\nnginx: [emerg] no such thing in /etc/nginx/a:3\\n")
    'nginx refuses it: [emerg] no such thing in /etc/nginx/a:3'
    """
    first, *rest = message.strip().splitlines()
    if not rest or not first.endswith("lines:"):
        return first
    return f"nginx refuses it: {rest[-1].removeprefix('nginx: ')}"


def _status_without_login(stack: RunningStack, workload: Workload) -> int | None:
    """Of a request without a password; None if the load has none either."""
    fields = [field for field in workload.headers if field[0].lower() != "authorization"]
    if len(fields) == len(workload.headers):
        return None
    return ask(stack, msgspec.structs.replace(workload, headers=fields)).status


def ask(stack: RunningStack, workload: Workload) -> HttpAnswer:
    """One request as the load sends it."""
    with stack.as_client():
        return check.ask_as_loaded(stack.arm, stack.prepared.address, workload)
