"""Two records side by side, as a document and as JSON: what changed in each experiment, and how far to trust it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.run import Record
from hopcost.report import Result, notation
from hopcost.report.brief.reasons import with_advice
from hopcost.report.disturbed import disturbed_sentences
from hopcost.report.document import BarRow, Bars, Document, Element, Fold, Heading, Lines, Style
from hopcost.report.formatting import count
from hopcost.report.questions.closing import closing_lines
from hopcost.report.questions.two_records_details import change_words, detail_elements, figure_words, record_line
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.two_records.differences import Difference
from hopcost.statistics.questions.two_records.result import ArmChange, ExperimentChange, FigureChange, RecordComparison
from hopcost.statistics.verdict import NO_VERDICT, NOT_SETTLED, SAME

STRONGER = "both sides in one run"
MOST_CAUTIONS = 3
MOST_ARMS = 3  # that the sentence names
MOST_DIFFERENCES = 4  # of the records that a caution names
MOST_LETTERS = 40  # of one of them


def comparison_report(a: Record, b: Record, comparison: RecordComparison, *, details: bool = False) -> Result:
    """The comparison as a result."""
    return Result(lambda: document(a, b, comparison, details=details), lambda: _data(a, b, comparison))


def document(a: Record, b: Record, comparison: RecordComparison, *, details: bool = False) -> Document:
    """Each experiment: a sentence, a row for each stack, cautions. Then all the rest, if it is asked for."""
    experiments = comparison.experiments
    title = f"hopcost compare · {a.plan.suite}" + (f"/{experiments[0].name}" if len(experiments) == 1 else "")
    top: list[Element] = [Heading(title), Lines([record_line(word, record) for word, record in (("A", a), ("B", b))])]
    general = _general_cautions(a, b, comparison)
    sections = [top]
    for number, experiment in enumerate(experiments):
        cautions = [*(general if number == 0 else []), *_cautions(a, b, experiment)]
        sections.append(_experiment(experiment, cautions, named=len(experiments) > 1))
    command = f"hopcost gate {_path_of_first(a, comparison)} …"
    sections.append([Lines(closing_lines(None, command, f"stronger: {STRONGER}"), Style.VERSE)])
    sections.append([Fold("Details", detail_elements(a, b, comparison, f"{command}: {STRONGER}"), is_open=details)])
    return Document(sections)


def _experiment(experiment: ExperimentChange, cautions: Sequence[str], *, named: bool) -> list[Element]:
    """What changed of the shares of the baseline's throughput in a table, of other figures in words."""
    header = [f"share of {experiment.baseline}", "A", "B", "change of the share", "", "outcome"]
    shown = [f"! {caution}" for caution in cautions[:MOST_CAUTIONS]]
    left = len(cautions) - MOST_CAUTIONS
    more = [f"{count(left, 'more caution')}: --details"] if left > 0 else []
    heading = [Heading(experiment.name, level=3, about=experiment.question)] if named else []
    return [
        *heading,
        Lines([sentence(experiment)], Style.ANSWER),
        Bars(header, [_row(*pair) for pair in _shares(experiment)], [*_others(experiment), *shown, *more]),
    ]


def _shares(experiment: ExperimentChange) -> list[tuple[ArmChange, FigureChange]]:
    """The throughput of each stack but the baseline."""
    return [
        (arm, change)
        for arm in experiment.arms
        if arm.name != experiment.baseline
        for change in arm.figures
        if change.figure == THROUGHPUT
    ]


def _row(arm: ArmChange, change: FigureChange) -> BarRow:
    figure, its_range = notation.change_parts(change.relative)
    cells = [_share(change.share_a), _share(change.share_b), figure, its_range, outcome(change)]
    return BarRow(arm.name, after=cells)


def _share(value: float | None) -> str:
    return notation.ABSENT if value is None else f"{100 * value:.0f} %"


def outcome(change: FigureChange) -> str:
    """`slower`, `more CPU`, `same`, `not settled` or `no verdict`."""
    if change.no_verdict is not None:
        return NO_VERDICT
    words = {"dearer": "more CPU", "cheaper": "less CPU"}
    word = words.get(change.verdict.word, change.verdict.word)
    return f"{word}, within {100 * change.verdict.margin:.2g} %" if change.verdict.negligible else word


def sentence(experiment: ExperimentChange) -> str:
    """The answer: which stacks changed and by how much, or that no difference is shown."""
    changes = list(_judged(experiment))
    words = Counter(NO_VERDICT if change.no_verdict is not None else change.verdict.word for change in changes)
    if words[NO_VERDICT] == len(changes):
        reason = changes[0].no_verdict if changes else "the records share no stack but the baseline"
        return f"No verdict: {with_advice(reason or '')}."
    figures = count(len(changes), "figure")
    undecided = {SAME: "the same", NOT_SETTLED: "not settled", NO_VERDICT: "without a verdict"}
    rest = ", ".join(f"{words[word]} {told}" for word, told in undecided.items() if words[word])
    clauses = list(_clauses(experiment))
    if clauses:
        more = [f"{len(clauses) - MOST_ARMS} more changed"] if len(clauses) > MOST_ARMS else []
        return f"{'; '.join([*clauses[:MOST_ARMS], *more])}." + (f" Of {figures} {rest}." if rest else "")
    if words[SAME] == len(changes):
        return f"The same: {'the only figure' if len(changes) == 1 else f'all {figures}'} within the margin."
    if words[NOT_SETTLED] == len(changes):
        return f"Not settled: no difference is shown, and none is excluded ({len(changes)} of {figures})."
    return f"No difference is shown. Of {figures} {rest}."


def _judged(experiment: ExperimentChange) -> list[FigureChange]:
    """All figures but the baseline's, which never have a verdict."""
    return [change for arm in experiment.arms if arm.name != experiment.baseline for change in arm.figures]


def _clauses(experiment: ExperimentChange) -> Iterator[str]:
    """`nginx-http-tcp is slower (−10 %) and needs more CPU (+11 %)`: of each stack that changed."""
    for arm in experiment.arms:
        changes = [change for change in arm.figures if change.no_verdict is None and change.verdict.is_direction]
        if arm.name != experiment.baseline and changes:
            yield f"{arm.name} {' and '.join(map(_clause, changes))}"


def _clause(change: FigureChange) -> str:
    amount = notation.change_parts(change.relative)[0]
    if change.figure == THROUGHPUT:
        return f"is {outcome(change)} ({amount})"
    if change.figure == CPU:
        load = "" if change.load_per_s is None else f" at {notation.rate(change.load_per_s)}/s"
        return f"needs {outcome(change)}{load} ({amount})"
    return f"has a {outcome(change)} {figure_words(change)} ({amount})"


def _others(experiment: ExperimentChange) -> list[str]:
    """The figures that have no table, if they did not change: `Not settled: CPU per request (4 stacks).`"""
    stacks: dict[str, Counter[str]] = {}
    for change in _judged(experiment):
        if change.figure != THROUGHPUT and not change.verdict.is_direction:
            stacks.setdefault(outcome(change), Counter())[figure_words(change)] += 1
    listed = [
        f"{word[0].upper()}{word[1:]}: {', '.join(map(_counted, figures.items()))}" for word, figures in stacks.items()
    ]
    return [f"{'. '.join(listed)} (--details)."] if listed else []


def _counted(figure: tuple[str, int]) -> str:
    name, stacks = figure
    return name if stacks == 1 else f"{name} ({stacks} stacks)"


def _general_cautions(a: Record, b: Record, comparison: RecordComparison) -> list[str]:
    """What concerns all experiments, the weightiest first."""
    cautions = [f"Compared all the same: {'; '.join(comparison.objections)}."] if comparison.objections else []
    cautions += [f"{word}: {warning}" for word, record in (("A", a), ("B", b)) for warning in record.warnings]
    different = [_shortened(change) for change in _differences(comparison)]
    if different:
        more = len(different) - MOST_DIFFERENCES
        named = ", ".join(different[:MOST_DIFFERENCES]) + (f" and {more} more (--details)" if more > 0 else "")
        cautions.append(f"Not alike: {named}.")
    return cautions + [f"{word} alone has: {', '.join(names)}." for word, names in comparison.alone.items()]


def _differences(comparison: RecordComparison) -> list[Difference]:
    """Of the runs, the experiments and the stacks, each once."""
    differences = list(comparison.differences)
    for experiment in comparison.experiments:
        differences += experiment.differences
        for arm in experiment.arms:
            differences += [change for change in arm.differences if not change.key.startswith("version.")]
    return list(dict.fromkeys(differences))


def _shortened(change: Difference) -> str:
    words = change_words(change)
    return words if len(words) <= MOST_LETTERS else f"{words[: MOST_LETTERS - 1]}…"


def _cautions(a: Record, b: Record, experiment: ExperimentChange) -> list[str]:
    """What concerns one experiment: its baseline, disturbed starts, what one record alone has."""
    cautions = list(_of_baseline(experiment))
    for word, record, blocks in (("A", a, experiment.blocks[0]), ("B", b, experiment.blocks[1])):
        suspect = [block for block in record.blocks_of(experiment.name) if block.validity == Validity.SUSPECT]
        cautions += [f"{word}: {line}" for line in disturbed_sentences(suspect, blocks, "--details")[:1]]
    shares = _shares(experiment)
    reasons = {change.no_verdict: arm.name for arm, change in shares if change.no_verdict is not None}
    if any(change.no_verdict is None for _, change in shares):
        cautions += [f"No verdict on {name}: {with_advice(reason)}." for reason, name in reasons.items()]
    return cautions + [f"{note}." for note in experiment.notes]


def _of_baseline(experiment: ExperimentChange) -> Iterator[str]:
    """That the baseline itself has another throughput."""
    for arm in experiment.arms:
        for change in arm.figures if arm.name == experiment.baseline else []:
            margin = change.verdict.margin
            if change.figure == THROUGHPUT and not 1 / (1 + margin) <= change.b / change.a <= 1 + margin:
                yield (
                    f"{arm.name} itself: {notation.rate(change.a)} → {notation.rate(change.b)} req/s. The machine or"
                    f" the program changed; two records cannot tell which. So only shares of {arm.name} are compared."
                )


def _path_of_first(a: Record, comparison: RecordComparison) -> str:
    """The first stack that is not the baseline, as the command line takes it."""
    experiment = comparison.experiments[0]
    names = [arm.name for arm in experiment.arms]
    arm = next((name for name in names if name != experiment.baseline), names[0] if names else experiment.baseline)
    return _path(a, experiment.name, arm)


def _path(record: Record, experiment: str, arm: str) -> str:
    """Under the suite's file if the record's command names one."""
    words = record.run.command
    for word in words[2:]:
        if words[1] == "gate" and word.count("/") >= 2 and "=" not in word:
            return word
        file, ending, _ = word.partition(".toml")
        if ending:
            return f"{file}.toml/{experiment}/{arm}"
    return f"{record.plan.suite}/{experiment}/{arm}"


def _data(a: Record, b: Record, comparison: RecordComparison) -> dict[str, object]:
    identities = {word: _identity(record) for word, record in zip("ab", (a, b), strict=True)}
    plain: dict[str, object] = msgspec.to_builtins(comparison)
    command = f"hopcost gate {_path_of_first(a, comparison)}"
    settings = "--before PROGRAM.SETTING=VALUE --after PROGRAM.SETTING=VALUE"
    return identities | plain | {"stronger_evidence": f"{command} {settings}"}


def _identity(record: Record) -> dict[str, object]:
    return {
        "record": str(record.path),
        "suite": record.plan.suite,
        "started_utc": record.run.started_utc,
        "hopcost": record.run.hopcost,
        "method": record.run.method,
    }
