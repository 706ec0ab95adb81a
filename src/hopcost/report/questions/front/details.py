"""What stands behind the advice: what was learned of the app, each stack's CPU by hop, the run."""

from __future__ import annotations

from hopcost.report import notation
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count
from hopcost.report.notes.conditions import validity_lines
from hopcost.statistics.questions.front.result import FrontResult, FrontRow


def detail_lines(answer: FrontResult) -> list[str]:
    """All that the answer leaves out."""
    app, record = answer.question.app, answer.record
    environment = record.environment
    idle = "keeps idle connections" if app.idle_timeout_s is None else f"drops them after {app.idle_timeout_s:.2g} s"
    return [
        f"The app before the run: {notation.rate(app.throughput_per_s)} requests/s, {app.cpu_us_per_request:.0f} µs of"
        f" CPU per request, answers of {app.body_bytes:,} bytes ({app.content_type or 'no type'});"
        f" {'keeps connections, ' + idle if app.keeps_connections else 'closes each connection'}.",
        *(f"note: {note}" for note in app.notes),
        *map(_by_hop, answer.rows),
        f"The ranges of all stacks hold together with {CONFIDENCE_IN_TEXT}. Two stacks of different experiments are"
        " compared by what each costs beside the app alone.",
        f"Requests per second are those of {answer.question.reference} times each stack's share: stacks of different"
        " experiments ran in different minutes. --json has what was measured.",
        *(
            f"{experiment.plan.name}: {count(experiment.blocks, 'start')}"
            + (f"; stopped: {experiment.ending.detail}" if experiment.ending is not None else "")
            for experiment in answer.experiments
        ),
        *(line for experiment in answer.experiments for line in validity_lines(experiment)),
        *(note for experiment in answer.experiments for note in experiment.plan.notes),
        f"hopcost {record.run.hopcost}, {record.run.started_utc}, seed {record.plan.seed};"
        f" {environment.get('cpu') or 'unknown CPU'}, kernel {environment.get('kernel')}",
    ]


def _by_hop(row: FrontRow) -> str:
    """`keepalive: nginx 24 µs, app 131 µs`."""
    hops = [f"{hop} {notation.time(ns)}" for hop, ns in row.cpu_ns.items()]
    return f"{row.arm}: CPU per request {', '.join(hops) or 'not known'}"
