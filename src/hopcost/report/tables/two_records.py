"""Two records side by side, for the eye and as JSON: what differs, then a table per experiment."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.record.run import Record
from hopcost.report import Format, columns, markdown
from hopcost.report.formatting import ABSENT, count, interval, microseconds, number, printable
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.differences import Difference
from hopcost.statistics.questions.two_records import (
    ArmChange,
    ExperimentChange,
    FigureChange,
    HopCostChange,
    RecordComparison,
)

WEAKER = (
    "Two records of different hours are weaker evidence than one interleaved run: whatever changed on the machine in"
    " between is in B ÷ A, and only as far as it changed the baseline alike is it out of the ratio to the baseline."
)
STRONGER = "hopcost gate {path} --before PROGRAM.SETTING=VALUE --after PROGRAM.SETTING=VALUE"
NAMES = {
    THROUGHPUT: "answers/s",
    CPU: "CPU µs per request",
    "response_p50": "response p50, µs",
    "response_p99": "response p99, µs",
}
COSTS = ["arm", "hop in front", "offered/s", "A", "B", "B − A [95%]"]


def render(a: Record, b: Record, found: RecordComparison, format: Format) -> str:
    """In one format."""
    if format is Format.JSON:
        heads = {word: _head(record) for word, record in zip("ab", (a, b), strict=True)}
        plain = heads | msgspec.to_builtins(found) | {"stronger_evidence": _stronger(a, found)}
        return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n"
    page = _Page(format)
    page.title("hopcost compare: B ÷ A")
    page.lines([line for word, record in zip("AB", (a, b), strict=True) for line in _named(word, record)])
    if found.objections:
        page.lines(["compared all the same, as --anyway asks: " + "; ".join(found.objections)])
    _differences(page, found)
    page.heading("How much it says")
    page.lines([WEAKER, f"the stronger way: {_stronger(a, found)}", *_reading(found)])
    for each in found.experiments:
        _experiment(page, each)
    return page.text()


class _Page:
    """Headings, lines and tables, as plain text or Markdown."""

    def __init__(self, format: Format) -> None:
        self._markdown = format is Format.MARKDOWN
        self._parts: list[str] = []

    def title(self, text: str) -> None:
        self._parts.append(f"# {markdown.escape(text)}" if self._markdown else text)

    def heading(self, text: str) -> None:
        self._parts.append(f"## {markdown.escape(text)}" if self._markdown else printable(text))

    def lines(self, lines: Sequence[str]) -> None:
        shown = [printable(line) for line in lines]
        if shown:
            self._parts.append(
                markdown.bullets(shown)
                if self._markdown
                else "\n".join(f"  {part}" for line in shown for part in line.splitlines())
            )

    def table(self, header: list[str], rows: list[list[str]], words: int) -> None:
        if rows:
            self._parts.append(
                markdown.grid(header, rows) if self._markdown else "\n".join(columns.lines(header, rows, words))
            )

    def text(self) -> str:
        return "\n\n".join(self._parts) + "\n"


def _differences(page: _Page, found: RecordComparison) -> None:
    """Everything that differs, before any number."""
    page.heading("What differs")
    said = [_changed(each) for each in found.differences]
    said += [f"experiments in {word} alone: {', '.join(names)}" for word, names in found.alone.items()]
    for each in found.experiments:
        said += [f"{each.name}: {_changed(one)}" for one in each.differences]
        said += [f"{each.name}: {note}" for note in each.notes]
        for arm in each.arms:
            said += [f"{each.name}/{arm.name}: {_changed(one)}" for one in arm.differences]
            said += [f"{each.name}/{arm.name}: {file}:\n" + "\n".join(lines) for file, lines in arm.files.items()]
    page.lines(said or ["nothing that the records keep, but the hour"])


def _experiment(page: _Page, each: ExperimentChange) -> None:
    page.heading(f"{each.name}: {each.question}")
    header = ["arm", "figure", "offered/s", "A", "B", "B ÷ A [95%]", f"B ÷ A of its ratio to {each.baseline} [95%]"]
    rows = [[arm.name, *_cells(one)] for arm in each.arms for one in arm.figures]
    page.table([*header, "verdict"], rows, 2)
    page.table(COSTS, [_cost(one) for one in each.hop_costs], 2)
    page.lines(_below(each))


def _cells(one: FigureChange) -> list[str]:
    return [
        NAMES.get(one.figure, one.figure),
        _load(one.load_per_s),
        _value(one.figure, one.a),
        _value(one.figure, one.b),
        interval(one.ratio),
        interval(one.relative),
        ABSENT if one.no_verdict is not None else str(one.verdict),
    ]


def _cost(one: HopCostChange) -> list[str]:
    difference, ends = one.difference_ns, "no interval"
    if difference is not None and difference.low is not None and difference.high is not None:
        ends = f"{difference.low / 1000:+.1f}, {difference.high / 1000:+.1f}"
    change = ABSENT if difference is None else f"{difference.value / 1000:+.1f} [{ends}]"
    shown = [microseconds(round(value)) for value in (one.a_ns, one.b_ns)]
    return [one.arm, one.hop, _load(one.load_per_s), *shown, change]


def _below(each: ExperimentChange) -> list[str]:
    said = [f"{count(each.blocks[0], 'block')} in A, {count(each.blocks[1], 'block')} in B"]
    if each.hop_costs:
        said.append(
            "hop in front: CPU µs per request of the arm minus the arm without that hop; they hold the machine's drift,"
            " and have no verdict of their own: that of the arm's CPU stands above"
        )
    for arm in each.arms:
        said += [f"{arm.name}: no verdict{on}: {why}" for why, on in _reasons(arm).items()]
    return said


def _reasons(arm: ArmChange) -> dict[str, str]:
    """Why an arm has no verdict → on which figures, where not on all."""
    found: dict[str, list[str]] = {}
    for one in arm.figures:
        if one.no_verdict is not None:
            found.setdefault(one.no_verdict, []).append(NAMES.get(one.figure, one.figure))
    return {
        why: "" if len(figures) == len(arm.figures) else f" on {', '.join(dict.fromkeys(figures))}"
        for why, figures in found.items()
    }


def _reading(found: RecordComparison) -> list[str]:
    margins = sorted(
        {
            one.verdict.margin
            for each in found.experiments
            for arm in each.arms
            for one in arm.figures
            if one.verdict.margin is not None
        }
    )
    said = [
        "B ÷ A by Welch's t over blocks, which are no pairs;"
        f" {count(found.intervals, 'interval')} that could have a verdict hold together at 95 % (Bonferroni)"
    ]
    if margins:
        ends = " to ".join(dict.fromkeys(f"±{margin:.1%}" for margin in (margins[0], margins[-1])))
        said.append(f"verdicts say how B is beside A, against margins of {ends}: the wider of both records'")
    return said


def _stronger(a: Record, found: RecordComparison) -> str:
    """The command for one interleaved run, of the first arm that would need it."""
    each = found.experiments[0]
    names = [arm.name for arm in each.arms]
    arm = next((name for name in names if name != each.baseline), names[0] if names else each.baseline)
    return STRONGER.format(path=_path(a, each.name, arm))


def _path(record: Record, experiment: str, arm: str) -> str:
    """The arm as the command line takes it: under the suite's file where the record's command names one."""
    words = record.run.command
    for word in words[2:]:
        if words[1] == "gate" and word.count("/") >= 2 and "=" not in word:
            return word
        file, ending, _ = word.partition(".toml")
        if ending:
            return f"{file}.toml/{experiment}/{arm}"
    return f"{record.plan.suite}/{experiment}/{arm}"


def _changed(each: Difference) -> str:
    return f"{each.key}: {each.a} → {each.b}"


def _named(word: str, record: Record) -> list[str]:
    """Which record it is, and what it lacks."""
    quick = ", quick" if record.plan.quick else ""
    cut = "" if record.run.ended_utc is not None else "; it did not end by itself"
    cpu = record.environment.get("cpu") or "unknown CPU"
    named = f"{word}: {record.path} ({record.plan.suite}{quick}), {record.run.started_utc}, {cpu}{cut}"
    return [named, *(f"{word}: warning: {warning}" for warning in record.warnings)]


def _head(record: Record) -> dict[str, object]:
    return {
        "record": str(record.path),
        "suite": record.plan.suite,
        "started_utc": record.run.started_utc,
        "hopcost": record.run.hopcost,
        "method": record.run.method,
    }


def _load(rate: float | None) -> str:
    return "saturation" if rate is None else f"{rate:,.0f}"


def _value(figure: str, value: float) -> str:
    return number(value) if figure == THROUGHPUT else microseconds(round(value))
