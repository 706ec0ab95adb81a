"""An app as it was learned, and fronts before it on the mock engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from known import known
from mocks.mock_rig import MockRig
from mocks.recorders import Recorder

from hopcost.measure import loop
from hopcost.measure.learn import Learned
from hopcost.measure.protocols.front import ask
from hopcost.measure.protocols.front.ask import FrontPlan
from hopcost.measure.protocols.front.learning import AppLearned
from hopcost.measure.protocols.front.request import FrontRequest, over_socket
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.programs.definition.definition import Installed
from hopcost.record import reader
from hopcost.record.contents.question import Verb, keep
from hopcost.record.writer import Writer
from hopcost.report.questions.front.config import Configuration, configuration
from hopcost.statistics.questions.front.fronts import Front, parse_fronts
from hopcost.statistics.questions.front.result import FrontResult, read_front
from hopcost.suites.arms.app import App
from hopcost.suites.experiments.expect import Expect
from hopcost.suites.experiments.workload import Workload

EXPRESS = Learned(
    expect=Expect(status=200),
    changing=["Date"],
    status=200,
    body_bytes=2048,
    content_type="application/json; charset=utf-8",
    headers=[("Content-Type", "application/json; charset=utf-8"), ("ETag", 'W/"2"')],
    keeps_connections=True,
    idle_timeout_s=5.0,
    warm_up_requests=8000,
    warm_up_s=1.2,
    ready_s=0.6,
    cpu_us_per_request=116.0,
    throughput_per_s=8600.0,
    processes=1,
    notes=[],
)
APP = App(command=["node", "server.js"], folder="/srv/app")
INSTALLED = Installed(path="/x", version="1")
PROGRAMS = ("nginx", "haproxy", "caddy", "app", "app-socket")


def found(*fronts: str, app: App = APP, **changes: Any) -> AppLearned:
    """An app of which that was learned; `changes` are of the request, of what was learned, or of both together."""
    learned = _changed(EXPRESS, changes)
    told = msgspec.structs.replace(
        app, idle_timeout_s=learned.idle_timeout_s, warm_up_requests=learned.warm_up_requests
    )
    request = FrontRequest(
        app=told, workload=Workload(), wanted=parse_fronts(fronts), socket_app=over_socket(told, None)
    )
    whole: AppLearned = _changed(AppLearned(_changed(request, changes), learned, stop_s=0.1), changes)
    return whole


def plan_of(*fronts: str, time_s: float | None = None, **changes: Any) -> FrontPlan:
    """What is measured of an app of which that was learned."""
    return ask.plan_of(found(*fronts, **changes), time_s)


def _changed(structure: Any, changes: dict[str, Any]) -> Any:
    own = {name: changes[name] for name in structure.__struct_fields__ if name in changes}
    return msgspec.structs.replace(structure, **own)


def measured(rig: MockRig, tmp_path: Path, plan: FrontPlan, time_s: float = 60.0, **options: Any) -> FrontResult:
    """The fronts on the mock engine, and the answer."""
    limits = MachineLimits(dict.fromkeys(PROGRAMS, INSTALLED), [0, 1], siblings={}, open_files=20_000)
    asked = RunOptions(time_s=time_s, seed=1, precision=0.003, **options)
    planned = make_plan(plan.complete, [], asked, limits)
    environment: dict[str, object] = {"cpu": "Abacus 2", "kernel": "6.1"}
    kept = keep(Verb.FRONT, plan.question)
    with Writer(tmp_path / "record", plan.complete, planned, environment, ["hopcost", "front"], kept) as writer:
        loop.measure_plan(planned, rig, writer, Recorder())
    return read_front(plan.question, reader.read_record(tmp_path / "record"))


def express(rig: MockRig, tmp_path: Path, *fronts: str, **changes: Any) -> FrontResult:
    """Express alone needs 100 µs; plain nginx 250, with upstream keepalive 125, over a Unix socket one or two less."""
    rig.slice_cpu_ns = 10_000_000
    rig.answers = {"alone": 100, "alone-aa": 100, "nginx": 40, "keepalive": 80, "unix": 81, "cache": 400, "gzip": 60}
    rig.answers |= {"tls": 70, "http2": 65, "haproxy": 90, "caddy": 30}
    return measured(rig, tmp_path, plan_of(*fronts, **changes))


def taken(answer: FrontResult, best: Front | None = None, **facts: Any) -> Configuration:
    """The configuration to take, were this stack the best one and the app as these facts say."""
    app = msgspec.structs.replace(answer.question.app, **facts)
    question = msgspec.structs.replace(answer.question, app=app)
    chosen = answer.best if best is None else best
    return known(configuration(msgspec.structs.replace(answer, question=question, best=chosen)))
