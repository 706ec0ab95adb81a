"""Starts the user's files in their jail, once, for a look: as they are, or with edits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hopcost.errors import ArmFailed
from hopcost.machine import facts
from hopcost.measure.protocols.conf.plan import ScreenedStack
from hopcost.measure.protocols.conf.suite import APP
from hopcost.measure.rig import RealRig
from hopcost.nginx.ablations import Receipt
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.diff import unified_diff
from hopcost.nginx.read import ConfigurationText
from hopcost.plan.cores import Cores, place_cores
from hopcost.record.secrets import mask_text
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.host import Local
from hopcost.stacks.jail.look import look_at
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import leftovers, network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.experiments.experiment import Experiment, Placement, Workload
from hopcost.suites.read import complete_suite
from hopcost.suites.suite import Suite

SITE = "as-is"  # the arm of a look
REQUESTS = 3  # of a trial: so many lines of an access log


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


class Shown(msgspec.Struct, frozen=True):
    """What one start showed: its answer, and by how much its logs grew over a few requests."""

    answer: HttpAnswer
    log_bytes: int


class RealTrials:
    """Starts the user's files with edits before the origin, and asks; the answer must be that of the files."""

    def __init__(self, starter: Starter, stack: ScreenedStack, text: ConfigurationText) -> None:
        self._starter, self._stack, self._text = starter, stack, text
        self.as_is = self._show([])

    def refusal(self, edits: Sequence[Edit]) -> str | None:
        """Why nginx does not start with them, or answers otherwise; None if it does as before."""
        return self.try_change(edits, Receipt.NONE)

    def try_change(self, edits: Sequence[Edit], receipt: Receipt) -> str | None:
        """The same; also why nothing shows that the edits had their effect."""
        try:
            shown = self._show(edits)
            expect = self._stack.workload.expect
            check.compare_answers("the file as it is", self.as_is.answer, SITE, shown.answer, expect)
        except ArmFailed as error:
            return why_refused(error.message)
        except ValueError as error:  # edits that overlap
            return str(error)
        return why_without_effect(self.as_is, shown, receipt)

    def diff(self, edits: Sequence[Edit]) -> str:
        """The unified diff of the user's own text, secrets masked."""
        return mask_text(self.plain_diff(edits))

    def plain_diff(self, edits: Sequence[Edit]) -> str:
        """The same with secrets as they stand."""
        return unified_diff(self._text, edits)

    def _show(self, edits: Sequence[Edit]) -> Shown:
        screened = self._stack
        with self._starter.start(screened.edited(edits), screened.link, screened.origin, None) as stack:
            before = look_at(stack)
            answers = [ask(stack, screened.workload) for _ in range(REQUESTS)]
            grown = look_at(stack).since(before)
        return Shown(answers[0], sum(grown.log_bytes.values()))


def why_refused(message: str) -> str:
    """An arm's failure in a line: what nginx said last, if it did not start.

    >>> why_refused("as-is ended with exit code 1; its last lines:\\nnginx: [emerg] no such thing in /etc/nginx/a:3\\n")
    'nginx refuses it: [emerg] no such thing in /etc/nginx/a:3'
    """
    first, *rest = message.strip().splitlines()
    if not rest or not first.endswith("lines:"):
        return first
    return f"nginx refuses it: {rest[-1].removeprefix('nginx: ')}"


def why_without_effect(as_is: Shown, shown: Shown, receipt: Receipt) -> str | None:
    """Why a change counts for nothing: what ought to show it is as it was. None if it shows, or cannot be seen so."""
    if receipt is Receipt.ENCODING and shown.answer.content_encoding == as_is.answer.content_encoding:
        encoding = as_is.answer.content_encoding or "none"
        return f"without effect here: Content-Encoding is {encoding} as before; it stands somewhere else too"
    if receipt is Receipt.LOG and shown.log_bytes >= as_is.log_bytes > 0:
        return "without effect here: the log grows as before; it stands somewhere else too"
    return None


def ask(stack: RunningStack, workload: Workload) -> HttpAnswer:
    """One request as the load sends it."""
    with stack.as_client():
        return check.ask_as_loaded(stack.arm, stack.prepared.address, workload)
