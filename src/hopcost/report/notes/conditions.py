"""The notes below an experiment's table: precision, procedure, validity."""

from __future__ import annotations

from hopcost.plan.turns import Turns
from hopcost.report.formatting import count, interval, reached
from hopcost.report.notes.note import Note, NoteKind
from hopcost.report.notes.reasons import reason_lines
from hopcost.report.notes.soak import soak_lines
from hopcost.report.notes.tls import tls_lines
from hopcost.report.notes.void_loads import void_load_lines
from hopcost.report.notes.workers import workers_lines
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

TURNS = {
    Turns.ALL: None,
    Turns.WHOLE: "whole slices: one arm alive at a time, each in runs of {seconds:g} s; what drifts meanwhile is in the"
    " ratio, and its interval shows it",
    Turns.SOAK: "a soak: one start, about nine tenths of the time on the arm, short slices of the baseline between",
}
PEER = (
    "{tools} drove the arms in place of hopcost's engine: counts and times are its own, connections were opened within"
    " its time, and no answer's bytes were compared"
)


def condition_notes(experiment: ExperimentSummary) -> list[Note]:
    """All notes of an experiment except those of surroundings.py."""
    after = [*soak_lines(experiment.soak), *validity_lines(experiment)]
    return [*_figures(experiment), *_procedure(experiment), *map(Note, after)]


def _figures(experiment: ExperimentSummary) -> list[Note]:
    """How precise the figures are, and what columns show."""
    plan, ending = experiment.plan, experiment.ending
    if not experiment.arms:
        return [Note(f"no result: {ending.detail}")] if ending else []
    ratios = [arm.ratio for arm in experiment.arms if arm.ratio and arm.name != plan.baseline]
    widest = max((ratio.half_width for ratio in ratios if ratio.half_width is not None), default=None)
    width = reached(widest) if experiment.blocks > 1 else "from one start"
    floor = interval(experiment.aa_floor)
    stopped = f"; stopped: {ending.detail}" if ending else ""
    notes = [
        Note(f"A/A floor: {plan.copied_arm} against itself is {floor}", NoteKind.AA_FLOOR),
        Note(f"{count(experiment.blocks, 'block')}, {width}{stopped}", NoteKind.BLOCKS),
        Note("µs under a hop: its CPU time per answer, all threads", NoteKind.UNITS),
    ]
    if all(arm.peer is None and not arm.open_loop for arm in experiment.arms):
        times = (
            f"p50, p99: service time, sent → last byte with {plan.workload.connections} connections always busy;"
            " it is not what a user waits for"
        )
        notes.append(Note(times, NoteKind.UNITS))
    return [*notes, Note(_bytes(experiment.arms))]


def _procedure(experiment: ExperimentSummary) -> list[Note]:
    """How it ran, if not as asked or as usual."""
    plan, notes = experiment.plan, []
    turns = TURNS[plan.turns]
    if turns is not None:
        notes.append(Note(turns.format(seconds=plan.slice_ns / 1e9)))
    if plan.connections_asked is not None and experiment.arms:
        notes.append(Note(f"run with {plan.workload.connections} connections, {plan.connections_asked} asked for"))
    tools = dict.fromkeys(arm.peer for arm in experiment.arms if arm.peer is not None)
    if tools:
        notes.append(Note(PEER.format(tools=", ".join(tools))))
    if experiment.harness_load is not None:
        load = f"hopcost itself took {experiment.harness_load:.2%} of a core while the engine ran"
        notes.append(Note(load, NoteKind.HARNESS_LOAD))
    if experiment.duty:
        notes.append(Note(f"load was counted for {experiment.duty:.0%} of the time", NoteKind.HARNESS_LOAD))
    notes += [Note(line) for line in [*workers_lines(experiment.workers_luck), *tls_lines(experiment.arms)]]
    notes += [Note(f"note: {note}") for note in plan.notes]
    return notes + [Note(f"note: {arm.name}: {note}") for arm in experiment.arms for note in arm.notes]


def validity_lines(experiment: ExperimentSummary) -> list[str]:
    """Blocks and loads that do not count, arms with errors or without a steady state, that failed or did not run."""
    lines = [*reason_lines(experiment), *void_load_lines(experiment.void_loads)]
    for arm in experiment.arms:
        if sum(arm.errors.values()):
            lines.append(f"{arm.name} had errors: its ratio counts correct answers only")
        if arm.steady is False:
            lines.append(f"{arm.name} reached no steady state in its warm-up")
    for failure in experiment.failures:
        lines.append(f"failed: {failure.arm}: {failure.message}" + (f"\nhint: {failure.hint}" if failure.hint else ""))
    return lines + [f"left out: {left_out.words()}" for left_out in experiment.plan.left_out]


def _bytes(arms: list[ArmSummary]) -> str:
    sizes = {(arm.header_bytes, arm.body_bytes) for arm in arms}
    if len(sizes) == 1:
        header_bytes, body_bytes = sizes.pop()
        return f"every arm answers with {header_bytes} header bytes and {body_bytes} body bytes"
    sizes_by_arm = ", ".join(f"{arm.name} {arm.header_bytes} + {arm.body_bytes}" for arm in arms)
    return f"answers differ in size (header + body bytes): {sizes_by_arm}"
