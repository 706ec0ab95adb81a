"""Two records side by side, as a document and as JSON: what differs, then a table per experiment."""

from __future__ import annotations

import msgspec

from hopcost.record.run import Record
from hopcost.report import Result
from hopcost.report.document import Document, Element, Heading, Lines, Table
from hopcost.report.formatting import (
    ABSENT,
    CONFIDENCE,
    CONFIDENCE_IN_TEXT,
    count,
    difference,
    interval,
    microseconds,
    number,
    offered,
)
from hopcost.report.notes.verdicts import group_reasons
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.differences import Difference
from hopcost.statistics.questions.two_records import (
    ExperimentChange,
    FigureChange,
    HopCostChange,
    RecordComparison,
)
from hopcost.statistics.verdict import NOT_SETTLED

WEAKER = (
    "Two records of different hours are weaker evidence than one interleaved run. Whatever changed on the machine in"
    " between is in B ÷ A. The ratio to the baseline takes it out only as far as it changed the baseline alike."
)
TO_SETTLE = (
    "not settled: the range reaches both sides of 1 and beyond the margin; longer records narrow it, and so do fewer"
    " experiments on this page"
)
STRONGER = "hopcost gate {path} --before PROGRAM.SETTING=VALUE --after PROGRAM.SETTING=VALUE"
NAMES = {
    THROUGHPUT: "answers/s",
    CPU: "CPU µs per request",
    "response_p50": "response p50, µs",
    "response_p99": "response p99, µs",
}
COSTS = ["arm", "hop in front", "offered/s", "A", "B", f"B − A [{CONFIDENCE}]"]


def comparison_report(a: Record, b: Record, comparison: RecordComparison) -> Result:
    """The comparison as a result."""
    return Result(lambda: document(a, b, comparison), lambda: _data(a, b, comparison))


def document(a: Record, b: Record, comparison: RecordComparison) -> Document:
    """First all differences, then how much the numbers say, then a table per experiment."""
    records = [line for word, record in zip("AB", (a, b), strict=True) for line in _record_lines(word, record)]
    elements: list[Element] = [Heading("hopcost compare: B ÷ A", level=1), Lines(records)]
    if comparison.objections:
        elements.append(Lines(["compared all the same, as --anyway asks: " + "; ".join(comparison.objections)]))
    elements += [Heading("What differs"), Lines(_differences(comparison))]
    elements.append(Heading("How much it says"))
    elements.append(Lines([WEAKER, f"the stronger way: {_stronger(a, comparison)}", *_how_to_read(comparison)]))
    for experiment in comparison.experiments:
        elements += _experiment(experiment)
    return Document([[element] for element in elements])


def _data(a: Record, b: Record, comparison: RecordComparison) -> dict[str, object]:
    identities = {word: _identity(record) for word, record in zip("ab", (a, b), strict=True)}
    plain: dict[str, object] = msgspec.to_builtins(comparison)
    return identities | plain | {"stronger_evidence": _stronger(a, comparison)}


def _differences(comparison: RecordComparison) -> list[str]:
    lines = [_changed(change) for change in comparison.differences]
    lines += [f"experiments in {word} alone: {', '.join(names)}" for word, names in comparison.alone.items()]
    for experiment in comparison.experiments:
        name = experiment.name
        lines += [f"{name}: {_changed(change)}" for change in experiment.differences]
        lines += [f"{name}: {note}" for note in experiment.notes]
        for arm in experiment.arms:
            lines += [f"{name}/{arm.name}: {_changed(change)}" for change in arm.differences]
            lines += [f"{name}/{arm.name}: {file}:\n" + "\n".join(text) for file, text in arm.files.items()]
    return lines or ["nothing that the records keep, but the hour"]


def _experiment(experiment: ExperimentChange) -> list[Element]:
    relative = f"B ÷ A of its ratio to {experiment.baseline} [{CONFIDENCE}]"
    header = ["arm", "figure", "offered/s", "A", "B", f"B ÷ A [{CONFIDENCE}]", relative, "verdict"]
    rows = [[arm.name, *_cells(figure)] for arm in experiment.arms for figure in arm.figures]
    return [
        Heading(f"{experiment.name}: {experiment.question}"),
        Table(header, rows, words=2),
        Table(COSTS, [_cost(change) for change in experiment.hop_costs], words=2),
        Lines(_below(experiment)),
    ]


def _cells(change: FigureChange) -> list[str]:
    return [
        _figure(change),
        offered(change.load_per_s),
        _value(change.figure, change.a),
        _value(change.figure, change.b),
        interval(change.ratio),
        interval(change.relative),
        ABSENT if change.no_verdict is not None else str(change.verdict),
    ]


def _cost(change: HopCostChange) -> list[str]:
    a, b = (microseconds(round(ns)) for ns in (change.a_ns, change.b_ns))
    return [change.arm, change.hop, offered(change.load_per_s), a, b, difference(change.difference_ns)]


def _below(experiment: ExperimentChange) -> list[str]:
    lines = [f"{count(experiment.blocks[0], 'block')} in A, {count(experiment.blocks[1], 'block')} in B"]
    if experiment.hop_costs:
        lines.append(
            "hop in front: CPU µs per request of the arm minus the arm without that hop; they hold the machine's drift,"
            " and have no verdict of their own: that of the arm's CPU stands above"
        )
    for arm in experiment.arms:
        reasons = group_reasons([(change.no_verdict, _figure(change)) for change in arm.figures])
        lines += [
            f"{arm.name}: no verdict{' on ' + figures if figures else ''}: {reason}"
            for reason, figures in reasons.items()
        ]
    return lines


def _figure(change: FigureChange) -> str:
    return NAMES.get(change.figure, change.figure)


def _how_to_read(comparison: RecordComparison) -> list[str]:
    margins = sorted({change.verdict.margin for change in _changes(comparison)})
    tested = comparison.intervals
    words = f"{tested} intervals that could have a verdict hold together at {CONFIDENCE_IN_TEXT} (Bonferroni)"
    if tested == 1:
        words = f"the one interval that could have a verdict is one of {CONFIDENCE_IN_TEXT}"
    lines = [f"each record estimates its own ratios, and these are subtracted as independent ones; {words}"]
    if margins:
        ends = " to ".join(dict.fromkeys(f"±{margin:.1%}" for margin in (margins[0], margins[-1])))
        lines.append(f"verdicts say how B is beside A, against margins of {ends}: the wider of both records'")
    if any(change.verdict.word == NOT_SETTLED for change in _changes(comparison)):
        lines.append(TO_SETTLE)
    return lines


def _changes(comparison: RecordComparison) -> list[FigureChange]:
    return [change for experiment in comparison.experiments for arm in experiment.arms for change in arm.figures]


def _stronger(a: Record, comparison: RecordComparison) -> str:
    """The command for one interleaved run of the first arm that is not the baseline."""
    experiment = comparison.experiments[0]
    names = [arm.name for arm in experiment.arms]
    arm = next((name for name in names if name != experiment.baseline), names[0] if names else experiment.baseline)
    return STRONGER.format(path=_path(a, experiment.name, arm))


def _path(record: Record, experiment: str, arm: str) -> str:
    """The arm as the command line takes it: under the suite's file if the record's command names one."""
    words = record.run.command
    for word in words[2:]:
        if words[1] == "gate" and word.count("/") >= 2 and "=" not in word:
            return word
        file, ending, _ = word.partition(".toml")
        if ending:
            return f"{file}.toml/{experiment}/{arm}"
    return f"{record.plan.suite}/{experiment}/{arm}"


def _changed(change: Difference) -> str:
    return f"{change.key}: {change.a} → {change.b}"


def _record_lines(word: str, record: Record) -> list[str]:
    """Which record it is, and its warnings."""
    quick = ", quick" if record.plan.quick else ""
    cut = "" if record.run.ended_utc is not None else "; it did not end by itself"
    cpu = record.environment.get("cpu") or "unknown CPU"
    line = f"{word}: {record.path} ({record.plan.suite}{quick}), {record.run.started_utc}, {cpu}{cut}"
    return [line, *(f"{word}: warning: {warning}" for warning in record.warnings)]


def _identity(record: Record) -> dict[str, object]:
    return {
        "record": str(record.path),
        "suite": record.plan.suite,
        "started_utc": record.run.started_utc,
        "hopcost": record.run.hopcost,
        "method": record.run.method,
    }


def _value(figure: str, value: float) -> str:
    return number(value) if figure == THROUGHPUT else microseconds(round(value))
