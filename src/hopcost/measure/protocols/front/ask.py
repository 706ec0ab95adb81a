"""`hopcost front` from the request to the answer: learn, build the suite, say how long it takes, measure, read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.measure import run
from hopcost.measure.protocols.front.choose import choose_fronts, pool_size, upstream_timeout_s
from hopcost.measure.protocols.front.forecast import FrontTime, costs_of, front_time, with_weights
from hopcost.measure.protocols.front.learning import AppLearned, Learning, refuse_impossible
from hopcost.measure.protocols.front.request import FrontRequest
from hopcost.measure.protocols.front.suite import front_suite
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.options import RunOptions
from hopcost.record.contents.question import Verb, keep
from hopcost.record.secrets import mask_text, mask_words
from hopcost.statistics.questions.front.fronts import ALONE, Front
from hopcost.statistics.questions.front.question import AppFacts, FrontQuestion
from hopcost.statistics.questions.front.result import FrontResult, read_front
from hopcost.suites.read import complete_suite
from hopcost.suites.suite import Suite


class FrontPlan(msgspec.Struct, frozen=True):
    """What is going to be measured: the question, its suite, and how long it takes.

    `suite` is as a file has it; `complete` as a run wants it.
    """

    question: FrontQuestion
    suite: Suite
    complete: Suite
    time: FrontTime


class MeasuredFronts(msgspec.Struct, frozen=True):
    """The answer; whether somebody stopped the run, and whether nothing failed."""

    answer: FrontResult
    interrupted: bool
    well: bool


def plan_fronts(request: FrontRequest, say: Callable[[str], None], time_s: float | None = None) -> FrontPlan:
    """Learn the app, and decide what is measured; `say` hears what is being done meanwhile.

    ArmFailed with the next step if the app cannot be measured as it is.
    """
    refuse_impossible(request)
    return plan_of(Learning(request, say).learn(), time_s)


def plan_of(app_learned: AppLearned, time_s: float | None = None) -> FrontPlan:
    """What is measured of an app of which that was learned. Pure, but for paths made absolute."""
    request, learned = app_learned.request, app_learned.learned
    fronts, left_out = choose_fronts(app_learned)
    if request.is_fastcgi and fronts == [Front.NGINX]:
        reasons = "".join(f"\n  {left.name}: {left.reason}" for left in left_out)
        remedies = [left.remedy for left in left_out if left.remedy is not None]
        raise UsageError(
            f"over FastCGI other fronts are compared with nginx, and there is none{':' if reasons else ''}{reasons}",
            " or ".join(remedies) or "name another one: --with keepalive,unix",
        )
    facts = AppFacts(
        cpu_us_per_request=learned.cpu_us_per_request,
        throughput_per_s=learned.throughput_per_s,
        body_bytes=learned.body_bytes,
        content_type=learned.content_type,
        keeps_connections=learned.keeps_connections,
        idle_timeout_s=learned.idle_timeout_s,
        upstream_timeout_s=upstream_timeout_s(learned) if learned.keeps_connections else None,
        pool=pool_size(request, learned),
        port=request.app.port,
        script=request.script,
        is_fastcgi=request.is_fastcgi,
        needs=request.app.needs,
        changing=learned.changing,
        compared=learned.expect.compared,
        notes=learned.notes,
    )
    question = FrontQuestion(
        command=mask_words(request.app.command),
        target=mask_text(request.workload.target),
        method=request.workload.method.value,
        connections=request.workload.connections,
        fronts=fronts,
        left_out=left_out,
        app=facts,
        rate_per_s=request.rate_per_s,
        reference=Front.NGINX.value if request.is_fastcgi else ALONE,
    )
    suite = front_suite(request, facts, fronts, learned.expect)
    costs = costs_of(app_learned)
    suite = with_weights(suite, costs)
    complete = complete_suite(suite, Path(request.app.folder) / "front")
    return FrontPlan(question, suite, complete, front_time(suite, costs, time_s))


def measure_fronts(plan: FrontPlan, options: RunOptions, run_watcher: RunWatcher) -> MeasuredFronts:
    """Measure what was planned, and read the answer off its record, also off one that was interrupted."""
    question = keep(Verb.FRONT, plan.question)
    measured = run.measure(plan.complete, [], options, run_watcher, question)
    return MeasuredFronts(read_front(plan.question, measured.record), measured.interrupted, measured.well)
