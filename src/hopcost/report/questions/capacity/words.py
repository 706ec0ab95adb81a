"""The answer's words: what an arm carries, why nothing is known of it, what changes the reading."""

from __future__ import annotations

from hopcost.report import notation
from hopcost.report.disturbed import disturbed_sentences
from hopcost.report.formatting import count
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.objectives import Objective, time_words
from hopcost.statistics.questions.capacity.points import RatePoint
from hopcost.statistics.questions.capacity.result import CapacityResult, CapacityRow, Kind

DIGITS = 3
RAISED = 1.5  # times what an idle server takes: an objective that it can hold
FACTORS = (1, 2, 3, 5, 10)


def rate_parts(per_s: Interval) -> notation.Parts:
    """A capacity in requests per second to three digits, and its range to as many places.

    >>> rate_parts(Interval(value=61_234.0, low=59_412.0, high=62_789.0))
    ('61,200', '(59,400–62,800)')
    >>> rate_parts(Interval(value=885.6, low=860.2, high=912.0)), rate_parts(Interval(value=31.4, low=None, high=None))
    (('886', '(860–912)'), ('31.4', 'no range'))
    """
    step = 10.0 ** (len(str(int(per_s.value))) - DIGITS)
    decimals = 1 if step < 1 else 0

    def rounded(value: float) -> str:
        return f"{round(value / max(step, 0.1)) * max(step, 0.1):,.{decimals}f}"

    if per_s.low is None or per_s.high is None:
        return rounded(per_s.value), notation.NO_RANGE
    return rounded(per_s.value), f"({rounded(per_s.low)}–{rounded(per_s.high)})"


def carried(row: CapacityRow) -> str:
    """`61,200/s (59,400–62,800)`, `at least 61,200/s`; empty if nothing is known."""
    if row.per_s is None:
        return ""
    figure, ends = rate_parts(row.per_s)
    if row.kind is Kind.AT_LEAST:
        return f"at least {figure}/s"
    return f"{figure}/s {ends}" if row.per_s.low is not None else f"{figure}/s"


def why_not(row: CapacityRow, answer: CapacityResult) -> str:
    """Why an arm has no capacity, in a sentence."""
    if row.kind is Kind.FAILED:
        failure = next(failure for failure in answer.failures if failure.arm == row.arm)
        return f"{row.arm} failed: {failure.message.splitlines()[0]}"
    if row.kind is Kind.MISSES_IDLE and row.points:
        return f"{row.arm} holds no rate: {idle_words(row.points[0], answer)}"
    if row.kind is Kind.NOT_OFFERED and row.points:
        rate = notation.rate(row.points[0].rate_per_s)
        return f"{row.arm} is not known: the load generator could not offer even {rate}/s in time"
    if row.starts == 0 and answer.valid:
        return f"{row.arm} is not known: it gave no correct answer under full load"
    held = "" if row.held_per_s is None else f"; it held {notation.rate(row.held_per_s)}/s"
    why = "its probes disagree too much for a range" if row.has_open_range else "the time was too short"
    return f"{row.arm} is not settled: {why}{held}"


def idle_words(point: RatePoint, answer: CapacityResult) -> str:
    """`almost idle, at 12 requests/s, its p99 is 63 ms`, of the objective that it misses by most."""
    at = f"almost idle, at {notation.rate(point.rate_per_s)} requests/s,"
    slow = missed_objective(point, answer)
    if slow is None:
        errors = point.errors / max(1, point.requests)
        return f"{at} {100 * errors:.3g} % of its requests fail"
    name = slow.name if point.response_time_ns.get(slow.name) is not None else "median"
    return f"{at} its {name} is {notation.time(_quantile(point, slow))}"


def missed_objective(point: RatePoint, answer: CapacityResult) -> Objective | None:
    """The objective of time that a point misses by most; None if it misses none."""
    timed = [objective for objective in answer.question.objectives if objective.time_ns is not None]
    beyond = {objective: _quantile(point, objective) / (objective.time_ns or 1) for objective in timed}
    missed = {objective: times for objective, times in beyond.items() if times >= 1}
    return max(missed, key=lambda objective: missed[objective]) if missed else None


def possible_objective(point: RatePoint, answer: CapacityResult) -> str | None:
    """An objective that an idle server holds, as an option takes it: `p99<100ms`; None if it is not about time."""
    slow = missed_objective(point, answer)
    if slow is None:
        return None
    wanted_ns = RAISED * _quantile(point, slow)
    power = 10.0 ** (len(str(int(wanted_ns))) - 1)
    round_ns = next(factor * power for factor in FACTORS if factor * power >= wanted_ns)
    return f"{slow.name}<{time_words(round_ns).replace(' ', '').replace('µ', 'u')}"


def _quantile(point: RatePoint, objective: Objective) -> float:
    """Of a point, or the nearest lower one that it has: with few requests the highest are not known."""
    known = [value for name, value in point.response_time_ns.items() if value is not None]
    own = point.response_time_ns.get(objective.name)
    return float(own if own is not None else max(known, default=0))


def streams_words(answer: CapacityResult) -> str:
    """` of 4 streams`, of connections that have several requests at a time; else nothing."""
    streams = answer.record.plan.experiments[0].workload.streams
    return f" of {streams} streams" if streams > 1 else ""


def caution_lines(answer: CapacityResult) -> list[str]:
    """What changes the reading, in few lines."""
    lines = []
    bound = [row.arm for row in answer.rows if row.kind is Kind.AT_LEAST]
    if bound:
        lines.append(f"! {', '.join(bound)}: the load generator reached its own limit; the stack may carry more.")
    short = [row.arm for row in answer.rows if row.is_short_of_connections and row.kind is Kind.MEASURED]
    if short:
        connections = answer.record.plan.experiments[0].workload.connections
        streams = streams_words(answer)
        taken = (
            f"the one connection{streams} was" if connections == 1 else f"all {connections} connections{streams} were"
        )
        lines.append(
            f"! {', '.join(short)}: {taken} taken while the stack was partly idle;"
            f" more may carry more: -c {2 * connections}."
        )
    if any(experiment.cores.shared for experiment in answer.record.plan.experiments):
        lines.append("! The load generator shares a core with the stacks: alone they would carry more.")
    lines += [f"! {sentence}" for sentence in disturbed_sentences(answer.suspect, answer.valid, "--details")]
    if answer.void:
        lines.append(f"! {count(len(answer.void), 'start')} did not count: the machine was disturbed (--details).")
    return lines
