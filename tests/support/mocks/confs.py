"""A configuration as it was learned, and its phases on the mock engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from mocks.mock_rig import MockRig
from mocks.recorders import RunRecorder

from hopcost.measure.protocols.conf.growing import GrowingRecord
from hopcost.measure.protocols.conf.phases import Phases
from hopcost.measure.protocols.conf.plan import ConfPlan, ScreenedStack, conf_time
from hopcost.nginx.edits import Edit
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.programs.definition.definition import Installed
from hopcost.record import reader
from hopcost.record.contents.run import Record
from hopcost.statistics.questions.conf.question import Candidate, ConfQuestion, FoundTrap, Seen, Unseen
from hopcost.statistics.questions.conf.result import ConfResult, read_conf
from hopcost.suites.arms.arm import Hop, Link
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

FILE = "/etc/nginx/nginx.conf"
KEEPALIVE = Candidate(
    "keepalive",
    "upstream keepalive 2 → 64",
    ["nginx.conf:31"],
    "a pool of open connections to the app",
    is_offered=True,
    is_giant=True,
)
GZIP = Candidate("gzip-off", "gzip off", ["nginx.conf:12"], "fewer bytes for the client", is_giant=True)
LOG = Candidate("access-log-off", "access_log off", ["nginx.conf:9"], "a line for each request")
BUFFER = Candidate("access-log-buffer", "access_log buffer=64k", ["nginx.conf:9"], "lines at once", is_offered=True)
REAL_IP = Candidate("real-ip-off", "real_ip off", ["conf.d/real_ip.conf:1", "conf.d/real_ip.conf:2"], "true addresses")
EDITS = {
    "keepalive": [Edit(FILE, 300, 312, "keepalive 64;")],
    "gzip-off": [Edit(FILE, 120, 128, "gzip off;")],
    "access-log-off": [Edit(FILE, 90, 110, "access_log off;")],
    "access-log-buffer": [Edit(FILE, 105, 106, " buffer=64k;")],
    "real-ip-off": [Edit(FILE, 200, 210, "")],
}
UPGRADE = FoundTrap("upgrade", 'Connection "upgrade" goes to the app always', "nginx.conf:40", is_mended=True)
DEBUG = FoundTrap("debug-log", "error_log writes at the level debug", "nginx.conf:3")
QUESTION = ConfQuestion(
    file="nginx.conf",
    nginx="1.22.1",
    site="http://example.org:80",
    command=[],
    target="/",
    connections=32,
    requests_per_connection=None,
    seen=Seen(200, 2048, "text/html"),
    candidates=[KEEPALIVE, GZIP, LOG, BUFFER, REAL_IP],
    unseen=[Unseen("ssl_session_cache", ["nginx.conf:50"], "--new-connections shows it")],
    traps=[DEBUG],
    limits=["limit_req zone=one (nginx.conf:22)"],
)


class MockTrials:
    """Starts nothing; nginx refuses edits that hold one of these texts, the app those of others."""

    def __init__(self, *refused: str, by_app: Sequence[str] = ()) -> None:
        self.refused, self.by_app = refused, by_app
        self.tried: list[list[Edit]] = []

    def refusal(self, edits: Sequence[Edit]) -> str | None:
        self.tried.append(list(edits))
        return next((f"nginx: {text}" for text in self.refused for edit in edits if edit.text == text), None)

    def app_refusal(self, edits: Sequence[Edit]) -> str | None:
        is_refused = any(edit.text in self.by_app for edit in edits)
        return "the app answers 401 with it, not 200" if is_refused else None

    def diff(self, edits: Sequence[Edit]) -> str:
        lines = [f"+{edit.text or '(nothing)'}\n" for edit in sorted(edits, key=lambda edit: edit.start)]
        return "".join(["--- nginx.conf\n", "+++ nginx.conf\n", *lines])


class MockMachine:
    """On which every program is installed."""

    def __init__(self, rig: MockRig) -> None:
        self.rig = rig
        self.environment: dict[str, object] = {"cpu": "Abacus 2", "kernel": "6.1"}

    def limits(self, suite: Suite) -> MachineLimits:
        names = {hop.program for arm in suite.arms.values() for hop in arm.hops}
        return MachineLimits(dict.fromkeys(names, Installed(path="/x", version="1")), [0, 1], {}, 20_000)


def plan_of(mends: Sequence[Edit] = (), time_s: float = 60.0, **changes: Any) -> ConfPlan:
    """What is measured; `changes` are of the question."""
    question = msgspec.structs.replace(QUESTION, **changes)
    workload = Workload(connections=32)
    return ConfPlan(
        question=question,
        screened=ScreenedStack(
            Configuration(file="/srv/nginx.conf", port=80, host="example.org", idle_timeout_s=75.0),
            Link.HTTP_TCP,
            Hop(program="origin", link=Link.HTTP_TCP),
            workload,
        ),
        edits={candidate.name: EDITS[candidate.name] for candidate in question.candidates},
        mends=list(mends),
        time=conf_time(time_s, quick=False),
    )


class CostingRig(MockRig):
    """A rig whose arms cost what their edits say: 50 µs, and what each edit's text adds."""

    def __init__(self, plan: ConfPlan, costs_us: dict[str, float], together_us: float = 0.0) -> None:
        super().__init__()
        self.plan, self.costs_us, self.together_us = plan, costs_us, together_us
        self.slice_cpu_ns = 50_000_000

    def start(self, arm: Any, experiment: Any, label: str) -> Any:
        configuration = arm.arm.hops[0].configuration
        cost_us = 50 + sum(self.costs_us.get(edit.text, 0.0) for edit in configuration.edits)
        if len(configuration.edits) > 1:
            cost_us += self.together_us
        self.answers[arm.name] = round(self.slice_cpu_ns / (1000 * cost_us))
        return super().start(arm, experiment, label)


COSTS_US = {"keepalive 64;": -25.0, "gzip off;": -2.0, "access_log off;": -1.0, " buffer=64k;": -0.5}


def measured(
    tmp_path: Path,
    plan: ConfPlan | None = None,
    *,
    trials: MockTrials | None = None,
    rig: MockRig | None = None,
    together_us: float = 0.0,
    costs_us: dict[str, float] | None = None,
    **options: Any,
) -> ConfResult:
    """All phases on the mock engine, and the answer."""
    plan = plan or plan_of()
    rig = rig or CostingRig(plan, COSTS_US if costs_us is None else costs_us, together_us)
    folder = tmp_path / "record"
    asked = RunOptions(seed=1, folder=folder, precision=0.003, **options)
    with GrowingRecord(plan, asked, MockMachine(rig), RunRecorder()) as record:
        Phases(plan, record, trials or MockTrials()).run()
    return answer_of(folder)


def answer_of(folder: Path) -> ConfResult:
    """What the record says."""
    record: Record = reader.read_record(folder)
    assert record.question is not None
    return read_conf(msgspec.json.decode(record.question.content, type=ConfQuestion), record)
