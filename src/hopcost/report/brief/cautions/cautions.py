"""What stands below an experiment's table: what its marks mean, what changes the reading, what only widens ranges.

`?` explains a mark, `!` changes the reading; both come before the rest. A terminal leaves out the last sentences of an
experiment that has no room for them, and counts them; the details have all.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.errors import printable
from hopcost.record.contents.run import Record
from hopcost.report import notation
from hopcost.report.brief.cautions.explanations import explanations, no_verdicts, not_measured
from hopcost.report.brief.cautions.faults import known_faults
from hopcost.report.brief.load import Load
from hopcost.report.brief.words import baseline_of, stack_word
from hopcost.report.disturbed import disturbed_sentences
from hopcost.report.formatting import count
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import ExperimentSummary


def cautions(record: Record, experiment: ExperimentSummary, load: Load, medians: str = "") -> list[list[str]]:
    """The sentences of each entry, the weightiest entries first. `medians`: what the table had no column for."""
    important = known_faults(record, experiment, load)
    everywhere, faults = _disturbed_everywhere(experiment), no_verdicts(experiment)
    entries = [
        *([fault] for fault in faults),
        [f"! {everywhere[0]}", *everywhere[1:]] if everywhere else [],  # before "more --time", which would not help
        *([explanation] for explanation in explanations(experiment)[len(faults) :]),
        [f"! {important[0]}", *important[1:]] if important else [],
        *([absence] for absence in not_measured(experiment)),
        [medians] if medians else [],
        adds(experiment),
    ]
    return [[printable(sentence) for sentence in entry] for entry in entries if entry]


def _disturbed_everywhere(experiment: ExperimentSummary) -> list[str]:
    """What disturbed every start, and what to do; if no start counted, why they did not."""
    if not experiment.blocks:
        return disturbed_sentences(experiment.void, len(experiment.void))
    return disturbed([experiment]) if len(experiment.suspect) == experiment.blocks else []


def adds(experiment: ExperimentSummary) -> list[str]:
    """What widens ranges, and how far the baseline was from itself."""
    sentences = []
    if experiment.void:
        sentences.append(f"{count(len(experiment.void), 'server start')} did not count.")
    if len(experiment.suspect) < experiment.blocks:
        sentences += disturbed([experiment])
    baseline = baseline_of(experiment)
    if experiment.aa_floor is not None and baseline is not None:
        also = "" if experiment.instrument_is_biased else f"; {_chance(experiment.aa_floor)}"
        sentences.append(notation.noise(stack_word(baseline), experiment.aa_floor, also))
    return sentences


def _chance(floor: Interval) -> str:
    """How often such a difference comes by chance: its range has an error of 5 %."""
    is_beyond = floor.low is not None and floor.high is not None and not floor.low <= 1 <= floor.high
    return "by chance such a range leaves out 0 in 1 of 20 tables" if is_beyond else "that is chance"


def disturbed(experiments: Sequence[ExperimentSummary]) -> list[str]:
    """How many starts of all these, by what, and what to do; nothing if none was."""
    suspect = [block for experiment in experiments for block in experiment.suspect]
    return disturbed_sentences(suspect, sum(experiment.blocks for experiment in experiments))
