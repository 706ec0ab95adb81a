"""What a suite asks and why: its article, its essay, its experiments. All of it stands in the suite's file."""

from __future__ import annotations

from hopcost.report.document import Document, Element, Heading, Lines, Section, Style
from hopcost.report.notes.head import paragraphs
from hopcost.suites.articles.published import label
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.suite import Suite


def about_suite(suite: Suite) -> Document:
    """The suite in words; it asks no machine."""
    top: list[Element] = [Heading(f"{suite.name} · {suite.title}", level=1)]
    if suite.article is not None:
        article = suite.article
        top.append(Lines([f"The article: {article.title}, by {article.author}, {article.date}; {article.source}"]))
    essay: list[Section] = [[Lines([paragraph], Style.PARAGRAPHS)] for paragraph in paragraphs(suite.analysis)]
    experiments: list[Section] = [_experiment(experiment) for experiment in suite.experiments]
    programs = dict.fromkeys(hop.program for arm in suite.arms.values() for hop in arm.hops)
    last: Section = [
        Lines([f"programs  {', '.join(programs)}", f"run it    hopcost run {suite.name} --quick"], Style.NOTES)
    ]
    return Document([top, *essay, *experiments, last])


def _experiment(experiment: Experiment) -> Section:
    lines = [f"stacks: {', '.join(experiment.arms)}; compared with {experiment.baseline}"]
    if experiment.sweep is not None:
        lines.append(f"for {experiment.sweep.key} = {', '.join(map(label, experiment.sweep.values))}")
    if experiment.published_conditions:
        lines.append(f"the article's conditions: {experiment.published_conditions}")
    if not experiment.quick:
        lines.append("not with --quick, unless it is named")
    return [Heading(experiment.name, about=experiment.question), Lines(lines)]
