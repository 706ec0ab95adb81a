"""What stands behind a comparison of two records: all that differs, how far to trust it, and every figure."""

from __future__ import annotations

from hopcost.record.contents.run import Record
from hopcost.report import notation
from hopcost.report.document import Element, Heading, Lines, Table
from hopcost.report.formatting import (
    ABSENT,
    CONFIDENCE,
    CONFIDENCE_IN_TEXT,
    count,
    difference,
    interval,
    microseconds,
    number,
)
from hopcost.report.notes.verdicts import group_reasons
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.two_records.differences import Difference
from hopcost.statistics.questions.two_records.result import (
    ExperimentChange,
    FigureChange,
    HopCostChange,
    RecordComparison,
)
from hopcost.statistics.verdict import NOT_SETTLED

WEAKER = (
    "Two records of different hours are weaker evidence than one run of both sides. What changed on the machine in"
    " between is in B ÷ A of a figure. In the share of the baseline it cancels only if it hit the baseline too."
    " Stronger: {stronger}."
)
TO_SETTLE = (
    "Not settled: the range holds no change, and changes beyond the margin too. Longer records narrow it, and so do"
    " fewer experiments on this page."
)
HOP_COSTS = (
    "hop in front: CPU µs per request of the stack minus the stack without that hop. It holds the machine's drift, so"
    " it has no verdict; the CPU of the stack has one above."
)
NAMES = {
    THROUGHPUT: "req/s",
    CPU: "CPU per request",
    "response_p50": "response time p50",
    "response_p99": "response time p99",
}
COSTS = ["stack", "hop in front", "offered/s", "A", "B", f"B − A [{CONFIDENCE}]"]


def record_line(word: str, record: Record) -> str:
    """`A  records/before, 2026-11-22 16:01 UTC, quick`."""
    started = record.run.started_utc.replace("T", " ")[: len("2026-11-22 16:01")]
    notes = [*(["quick"] if record.plan.quick else []), *([] if record.run.ended_utc else ["interrupted"])]
    return ", ".join([f"{word}  {record.path}", f"{started} UTC", *notes])


def figure_words(change: FigureChange) -> str:
    """`CPU per request at 5,000/s`; without a load at full load."""
    name = NAMES.get(change.figure, change.figure)
    return name if change.load_per_s is None else f"{name} at {notation.rate(change.load_per_s)}/s"


def change_words(change: Difference) -> str:
    """`cpu: Abacus 2 → Abacus 3`."""
    return f"{change.key}: {change.a} → {change.b}"


def detail_elements(a: Record, b: Record, comparison: RecordComparison, stronger: str) -> list[Element]:
    """What differs, how much the figures say, and tables of all figures."""
    records = [f"{record_line(word, record)}, {_cpu(record)}" for word, record in (("A", a), ("B", b))]
    elements: list[Element] = [
        Lines(records),
        Heading("What differs", level=3),
        Lines(_all_differences(comparison)),
        Heading("How much it says", level=3),
        Lines([WEAKER.format(stronger=stronger), *_how_to_read(comparison)]),
    ]
    for experiment in comparison.experiments:
        elements += _tables(experiment)
    return elements


def _cpu(record: Record) -> str:
    return str(record.environment.get("cpu") or "unknown CPU")


def _all_differences(comparison: RecordComparison) -> list[str]:
    lines = [*comparison.objections, *map(change_words, comparison.differences)]
    lines += [f"experiments in {word} alone: {', '.join(names)}" for word, names in comparison.alone.items()]
    for experiment in comparison.experiments:
        name = experiment.name
        lines += [f"{name}: {change_words(change)}" for change in experiment.differences]
        lines += [f"{name}: {note}" for note in experiment.notes]
        for arm in experiment.arms:
            lines += [f"{name}/{arm.name}: {change_words(change)}" for change in arm.differences]
            lines += [f"{name}/{arm.name}: {file}:\n" + "\n".join(text) for file, text in arm.files.items()]
    return lines or ["nothing that the records keep, but the hour"]


def _how_to_read(comparison: RecordComparison) -> list[str]:
    changes = [change for experiment in comparison.experiments for arm in experiment.arms for change in arm.figures]
    margins = sorted({change.verdict.margin for change in changes})
    tested = comparison.intervals
    words = f"{tested} ranges that could have a verdict hold together at {CONFIDENCE_IN_TEXT} (Bonferroni)"
    if tested == 1:
        words = f"the one range that could have a verdict is one of {CONFIDENCE_IN_TEXT}"
    lines = [f"Each record estimates its own ratios, and these are subtracted as independent ones; {words}."]
    if margins:
        ends = " to ".join(dict.fromkeys(f"{100 * margin:.2g} %" for margin in (margins[0], margins[-1])))
        lines.append(f"The outcome says how B is beside A, against a margin of {ends}: the wider one of both records.")
    if any(change.verdict.word == NOT_SETTLED for change in changes):
        lines.append(TO_SETTLE)
    return lines


def _tables(experiment: ExperimentChange) -> list[Element]:
    relative = f"B ÷ A of its ratio to {experiment.baseline} [{CONFIDENCE}]"
    header = ["stack", "figure", "A", "B", f"B ÷ A [{CONFIDENCE}]", relative, "verdict"]
    rows = [[arm.name, *_cells(change)] for arm in experiment.arms for change in arm.figures]
    return [
        Heading(f"{experiment.name}: {experiment.question}", level=3),
        Table(header, rows, words=2),
        Table(COSTS, [_cost(change) for change in experiment.hop_costs], words=2),
        Lines(_below(experiment)),
    ]


def _cells(change: FigureChange) -> list[str]:
    return [
        figure_words(change),
        _value(change.figure, change.a),
        _value(change.figure, change.b),
        interval(change.ratio),
        interval(change.relative),
        ABSENT if change.no_verdict is not None else str(change.verdict),
    ]


def _value(figure: str, value: float) -> str:
    return number(value) if figure == THROUGHPUT else f"{microseconds(round(value))} µs"


def _cost(change: HopCostChange) -> list[str]:
    a, b = (microseconds(round(ns)) for ns in (change.a_ns, change.b_ns))
    load = "full load" if change.load_per_s is None else number(change.load_per_s)
    return [change.arm, change.hop, load, a, b, difference(change.difference_ns)]


def _below(experiment: ExperimentChange) -> list[str]:
    lines = [f"{count(experiment.blocks[0], 'start')} in A, {count(experiment.blocks[1], 'start')} in B"]
    if experiment.hop_costs:
        lines.append(HOP_COSTS)
    for arm in experiment.arms:
        reasons = group_reasons([(change.no_verdict, figure_words(change)) for change in arm.figures])
        lines += [
            f"{arm.name}: no verdict{' on ' + figures if figures else ''}: {reason}"
            for reason, figures in reasons.items()
        ]
    return lines
