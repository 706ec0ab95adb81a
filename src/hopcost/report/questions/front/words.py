"""Advice on a front in a line: what it saves or costs, and whether to take it."""

from __future__ import annotations

from hopcost.report import notation
from hopcost.report.brief.reasons import with_advice
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.front.advice import Advice, Worth
from hopcost.statistics.questions.front.fronts import Front
from hopcost.statistics.questions.front.result import FrontResult

MANY_TIMES = 1.5  # from so much on, a throughput is told in times, not in per cent
STACKS = {  # as a thing that one takes
    Front.NGINX: "plain nginx",
    Front.KEEPALIVE: "nginx with upstream keepalive",
    Front.UNIX: "nginx over a Unix socket",
    Front.HAPROXY: "HAProxy",
    Front.CADDY: "Caddy",
}


def advice_line(answer: FrontResult, entry: Advice) -> str:
    """`upstream keepalive: −27 µs (−30 to −25) CPU per request, 2.1 × the throughput`."""
    figures = evidence(entry)
    extra = _extra(answer, entry)
    match entry.worth:
        case Worth.SAVES | Worth.COSTS:
            end = extra
        case Worth.NOISE:
            figures = cpu_words(entry)
            end = f": below your app's noise, leave it{extra}"
        case Worth.OPEN:
            end = f"; not settled: more --time{extra}"
        case Worth.NO_VERDICT:
            end = extra if shared_reason(answer) else f"; no verdict: {with_advice(entry.why or 'unknown')}"
    return f"{entry.front.words}: {figures}{end}"


def evidence(entry: Advice) -> str:
    """What was measured: CPU per request beside the stack without it, and the throughput if that differs."""
    return ", ".join(filter(None, [cpu_words(entry), throughput_words(entry.throughput)]))


def cpu_words(entry: Advice) -> str:
    """`−27 µs (−30 to −25) CPU per request`."""
    return f"{notation.added(entry.cpu)} CPU per request" if entry.cpu is not None else "CPU not known"


def throughput_words(ratio: Interval | None) -> str:
    """`2.1 × the throughput`, `throughput +12 % (+8 to +16)`; empty if it may be the same.

    >>> throughput_words(Interval(value=2.13, low=2.0, high=2.2))
    '2.1 × the throughput'
    >>> throughput_words(Interval(value=1.12, low=0.95, high=1.3))
    ''
    """
    if ratio is None or ratio.low is None or ratio.high is None or ratio.low <= 1 <= ratio.high:
        return ""
    if ratio.value >= MANY_TIMES:
        return f"{ratio.value:.{1 if ratio.value < 10 else 0}f} × the throughput"
    return f"throughput {notation.change(ratio)}"


def shared_reason(answer: FrontResult) -> str | None:
    """Why there is no verdict on any advice, if that is one reason."""
    reasons = {entry.why for entry in answer.advice if entry.worth is Worth.NO_VERDICT}
    return reasons.pop() if len(reasons) == 1 and len(answer.advice) > 0 and _none_has_verdict(answer) else None


def _none_has_verdict(answer: FrontResult) -> bool:
    return all(entry.worth is Worth.NO_VERDICT for entry in answer.advice)


def _extra(answer: FrontResult, entry: Advice) -> str:
    """What a front does besides, and what it does not."""
    match entry.front:
        case Front.TLS:
            return "; on kept connections: handshakes cost more"
        case Front.HTTP2:
            return "; on kept connections" + _streams(answer)
        case Front.CACHE:
            return "; answers may be 1 s old"
        case Front.COPIES:
            return "; both share one core here"
        case Front.GZIP:
            own, before = answer.row(Front.GZIP.value), answer.question.app.body_bytes
            return f"; answers of {own.body_bytes:,} in place of {before:,} bytes" if own is not None else ""
    return ""


def _streams(answer: FrontResult) -> str:
    """`, 10 requests at a time on each`; empty of one."""
    most = max(experiment.plan.workload.streams for experiment in answer.experiments)
    return f", {most} requests at a time on each" if most > 1 else ""


def stack_words(front: Front, *, has_keepalive: bool) -> str:
    """`nginx with upstream keepalive over a Unix socket`."""
    if front is Front.UNIX and has_keepalive:
        return "nginx with upstream keepalive over a Unix socket"
    return STACKS[front]
