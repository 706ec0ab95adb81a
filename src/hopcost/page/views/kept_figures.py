"""What the database has of a record whose folder cannot be read: of another machine, moved, or deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopcost.history.contents.summary import KeptComparison, KeptExperiment
from hopcost.report import notation
from hopcost.report.formatting import count
from hopcost.report.questions.history.words import figure_words


@dataclass(frozen=True)
class KeptFigure:
    """A figure of an arm: its share of the baseline's with its range, and what the record says of it."""

    arm: str
    figure: str
    share: str
    verdict: str


@dataclass(frozen=True)
class KeptFigures:
    """An experiment in short."""

    name: str
    question: str
    baseline: str
    starts: str
    figures: list[KeptFigure]


def kept_figures(summary: Sequence[KeptExperiment]) -> list[KeptFigures]:
    """Of each experiment; arms that were not compared have no rows."""
    return [
        KeptFigures(
            name=experiment.name,
            question=experiment.question,
            baseline=experiment.baseline,
            starts=count(experiment.starts, "start")
            + (f", {experiment.void} did not count" if experiment.void else ""),
            figures=[
                KeptFigure(arm.name, _figure(comparison), notation.share(comparison.ratio), _verdict(comparison))
                for arm in experiment.arms
                for comparison in arm.comparisons
            ],
        )
        for experiment in summary
    ]


def _figure(comparison: KeptComparison) -> str:
    words = figure_words(comparison.figure)
    return words if comparison.load_per_s is None else f"{words} at {notation.rate(comparison.load_per_s)}/s"


def _verdict(comparison: KeptComparison) -> str:
    return comparison.verdict if comparison.no_verdict is None else f"no verdict: {comparison.no_verdict}"
