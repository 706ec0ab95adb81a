"""How an experiment ran: its starts, its procedure, what counted and what did not."""

from __future__ import annotations

from hopcost.plan.turns import Turns
from hopcost.report import notation
from hopcost.report.formatting import count, reached
from hopcost.report.notes.reasons import reason_lines
from hopcost.report.notes.scope import of_blocks
from hopcost.report.notes.servers import freezing_lines
from hopcost.report.notes.tls import tls_lines
from hopcost.report.notes.void_loads import void_load_lines
from hopcost.report.notes.workers import workers_lines
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.experiments.expect import Compared
from hopcost.suites.experiments.mix import requests_of
from hopcost.suites.experiments.workload import Workload

MOST_FAULTS = 5  # of a server against HTTP/2
TURNS = {
    Turns.ALL: None,
    Turns.WHOLE: "one stack at a time, in runs of {seconds:g} s: drift of the machine is in the ranges",
    Turns.SOAK: "a soak: one start, nine tenths of the time on the stack, short slices of the baseline between",
}
PEER = (
    "{tools} drove the stacks in place of hopcost's engine: counts and times are its own, connections were opened"
    " within its time, and no answer's bytes were compared"
)

COMPARED = {
    Compared.BODY: None,
    Compared.MASKED: "answers were compared but for {bytes} bytes of the body, which the suite masks",
    Compared.LENGTH: "of answers the status and the length were compared, not the bytes",
    Compared.STATUS: "of answers the status was compared, and nothing else",
}


def starts_lines(experiment: ExperimentSummary) -> list[str]:
    """How many starts, how precise, how they ran, and which of them count."""
    if not experiment.arms:
        no_result = [f"no result: {experiment.ending.detail}"] if experiment.ending else []
        return [*no_result, *validity_lines(experiment)]
    sizes = [_bytes(experiment.arms), *_traffic_lines(experiment)]
    return [_precision(experiment), *_procedure(experiment), *validity_lines(experiment), *sizes]


def noise_lines(experiment: ExperimentSummary) -> list[str]:
    """The baseline beside itself; none if it did not run twice."""
    if experiment.aa_floor is None:
        return []
    floor = notation.ratio(experiment.aa_floor)
    return [
        f"{experiment.plan.copied_arm} beside itself is {floor} in throughput: smaller differences cannot be detected"
    ]


def _precision(experiment: ExperimentSummary) -> str:
    ratios = [arm.ratio for arm in experiment.arms if arm.ratio and arm.name != experiment.plan.baseline]
    widest = max((ratio.half_width for ratio in ratios if ratio.half_width is not None), default=None)
    stopped = f"; stopped: {experiment.ending.detail}" if experiment.ending else ""
    reach = f"; {reached(widest)}" if experiment.blocks > 1 else ""
    blocks = of_blocks(count(experiment.blocks, "start"), experiment.plan)
    return f"{blocks}{reach}{stopped}"


def _compared_lines(workload: Workload) -> list[str]:
    """What of answers was compared, if it was not all; of a mix by request."""
    lines: list[str] = []
    for request in requests_of(workload):
        expect = request.workload.expect
        compared = COMPARED[expect.compared]
        if compared is not None:
            name = "" if workload.mix is None else f"{request.name}: "
            lines.append(name + compared.format(bytes=sum(to - from_ for from_, to in expect.masked)))
    return lines


def _procedure(experiment: ExperimentSummary) -> list[str]:
    """How it ran, if not as asked or as usual."""
    plan, lines = experiment.plan, []
    turns = TURNS[plan.turns]
    if turns is not None:
        lines.append(turns.format(seconds=plan.slice_ns / 1e9))
    if plan.connections_asked is not None:
        lines.append(f"run with {plan.workload.connections} connections, {plan.connections_asked} asked for")
    lines += _compared_lines(plan.workload)
    tools = dict.fromkeys(arm.peer for arm in experiment.arms if arm.peer is not None)
    if tools:
        lines.append(PEER.format(tools=", ".join(tools)))
    if experiment.harness_load is not None:
        lines.append(f"hopcost itself used {100 * experiment.harness_load:.2f} % of a core while the load ran")
    if experiment.duty:
        lines.append(f"load was counted for {100 * experiment.duty:.0f} % of the time")
    lines += freezing_lines(experiment)
    lines += [*workers_lines(experiment.workers_luck), *tls_lines(experiment.arms)]
    lines += [f"note: {note}" for note in plan.notes]
    return lines + [f"note: {arm.name}: {note}" for arm in experiment.arms for note in arm.notes]


def validity_lines(experiment: ExperimentSummary) -> list[str]:
    """Starts and loads that do not count, stacks with errors or without a steady state, that failed or did not run."""
    lines = [*reason_lines(experiment), *void_load_lines(experiment.void_loads)]
    for arm in experiment.arms:
        if sum(arm.errors.values()):
            lines.append(f"{arm.name} had errors: its ratio counts correct answers only")
        lines += [f"{arm.name} against HTTP/2: {fault.words()}" for fault in arm.server_faults[:MOST_FAULTS]]
        if arm.steady is False:
            lines.append(f"{arm.name} was not steady yet when its warm-up ended")
    for failure in experiment.failures:
        lines.append(f"failed: {failure.arm}: {failure.message}" + (f"\nhint: {failure.hint}" if failure.hint else ""))
    return lines + [f"not measured: {left_out.words()}" for left_out in experiment.plan.left_out]


def _bytes(arms: list[ArmSummary]) -> str:
    sizes = {(arm.header_bytes, arm.body_bytes) for arm in arms}
    if len(sizes) == 1:
        header_bytes, body_bytes = sizes.pop()
        return f"every stack answers with {header_bytes} header bytes and {body_bytes} body bytes"
    sizes_by_arm = ", ".join(f"{arm.name} {arm.header_bytes} + {arm.body_bytes}" for arm in arms)
    return f"answers differ in size (header + body bytes): {sizes_by_arm}"


def _traffic_lines(experiment: ExperimentSummary) -> list[str]:
    """Bytes of a request and of its answer, if a stack was loaded over HTTP/2: its heads are shorter than they read."""
    known = [(arm.name, arm.traffic) for arm in experiment.arms if arm.traffic is not None]
    if not known or not any(arm.arm.is_http2 for arm in experiment.plan.arms):
        return []
    by_arm = ", ".join(f"{name} {own.sent_bytes:,.0f} + {own.received_bytes:,.0f}" for name, own in known)
    return [f"bytes of a request + its answer, without what TLS adds: {by_arm}"]
