"""The page: what it shows in which order. The template escapes text, JSON escapes charts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jinja2
import vl_convert
from markupsafe import Markup

from hopcost.errors import printable
from hopcost.record.contents.run import Record
from hopcost.report import Part, Result, formatting
from hopcost.report.brief.load import load_shown
from hopcost.report.document import Bars, Element, Fold, Heading, Lines, Section, Style
from hopcost.report.formats import csv, json
from hopcost.report.formats.html import capacity, caveats, charts, series, stacks
from hopcost.report.formats.html.bars import draw_bars
from hopcost.report.formats.html.charts import Chart
from hopcost.report.formats.html.stacks import Behind, StackPicture
from hopcost.report.notes import head
from hopcost.report.notes.scope import scope_lines
from hopcost.report.questions.claims import words as claims
from hopcost.report.tables.experiment import group_title, groups
from hopcost.statistics.questions.claims import claims as judging
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.statistics.summary.summary import ExperimentSummary

FOLDER = Path(__file__).parent / "template"
SCRIPTS = ("charts.js", "page.js")
CAUTION = "! "  # a line that changes the reading begins so
LONGEST_DESCRIPTION = 300
DETAILS = re.compile(f"--details=({'|'.join(Part)})")
OWN_PLACES = ("answers", "again", "suite", "claims", "limits", "machine", "command", "status", "files", "library")


@dataclass(frozen=True)
class Arms:
    """Settings and files of one experiment's arms; `at` is its value of a sweep."""

    at: str
    arms: list[Behind]


@dataclass(frozen=True)
class Details:
    """A part of an experiment's details: what a terminal shows of it, its charts, and what was behind the arms."""

    title: str
    place: str
    elements: list[Element] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    behind: list[Arms] = field(default_factory=list)
    is_open: bool = False


@dataclass(frozen=True)
class Answer:
    """An experiment on the page, or all points of a sweep. `elements` are what the terminal shows of it."""

    title: str
    place: str
    question: str
    elements: list[Element]
    pictures: list[StackPicture]
    pictures_load: str
    details: list[Details]

    @property
    def sentences(self) -> list[str]:
        """What people quote."""
        return sentences(self.elements)

    @property
    def has_cautions(self) -> bool:
        """Whether something changes its reading."""
        return any(line.startswith(CAUTION) for line in cautions(self.elements))


@dataclass(frozen=True)
class JudgedClaim:
    """A claim in words."""

    says: str
    outcome: str
    tests: list[str]


def render(result: Result) -> str:
    """One file without links to other files: people can mail it, open it from disk, keep it."""
    return _template().render(
        **contents(result),
        style=(FOLDER / "style.css").read_text(encoding="utf-8"),
        scripts=[(FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS],
        library=library(),
    )


def contents(result: Result) -> dict[str, object]:
    """What `page.html.j2` shows, by the names that it uses; not the page's look and what draws its charts."""
    assert result.summary is not None, "offered for records only"
    record, experiments = result.summary
    sections = result.document().sections
    texts: dict[str, str] = {}
    answers = [_answer(record, group, sections, texts) for group in groups(experiments)]
    quotes = [sentence for answer in answers for sentence in answer.sentences]
    results = [claim for suite in judging.suites([record]) for claim in judging.judge_claims(suite, [record])]
    tested = [claim for claim in results if claim.outcome is not ClaimOutcome.NOT_TESTABLE]
    return {
        "record": record,
        "title": f"{record.plan.suite}: {quotes[0]}" if quotes else head.title(record),
        "description": " ".join(quotes)[:LONGEST_DESCRIPTION],
        "heading": printable(record.plan.title),
        "first_line": head.first_line(record),
        "scope": scope_lines(experiments),
        "about": head.about(record),
        "warnings": head.warnings(record),
        "analysis": head.analysis(record),
        "command": printable(shlex.join(record.run.command)),
        "answers": answers,
        "cautioned": [answer for answer in answers if answer.has_cautions],
        "claims": [JudgedClaim(claim.claim.says, claim.outcome.value, claims.tests(claim)) for claim in tested],
        "confidence": formatting.CONFIDENCE_IN_TEXT,
        "claims_counted": claims.counted(results) if results else "",
        "caveats": caveats.lines(record, experiments),
        "environment": _environment(record.environment),
        "files": {f"{record.plan.suite}.json": json.write(result), f"{record.plan.suite}.csv": csv.write(result)},
    }


def sentences(elements: Iterable[Element]) -> list[str]:
    """The answers among these elements."""
    answers = (element for element in elements if isinstance(element, Lines) and element.style is Style.ANSWER)
    return [line for answer in answers for line in answer.lines]


def cautions(elements: Iterable[Element]) -> Iterator[str]:
    """The lines around figures, with their marks."""
    for element in elements:
        if isinstance(element, Bars):
            yield from element.below
        elif isinstance(element, Lines) and element.style is Style.CAUTIONS:
            yield from element.lines


@cache
def _template() -> jinja2.Template:
    return templates().get_template("page.html.j2")


def templates(*folders: Path) -> jinja2.Environment:
    """The page's templates and what they use, behind those of `folders`, which may build on them."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, FOLDER]), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {
        "kind": lambda element: type(element).__name__,
        "draw_bars": draw_bars,
        "without_mark": lambda line: line.removeprefix(CAUTION),
        "with_links": _with_links,
    }
    environment.tests["caution"] = lambda line: line.startswith(CAUTION)
    return environment


def _with_links(line: str, place: str) -> Markup:
    """The line with `--details=PART` as a link to that part of the experiment at `place`."""
    link = Markup('<a href="#{}/{}">{}</a>')
    words = DETAILS.split(line)  # every second one is the name of a part
    pieces = [link.format(place, word, Part(word).heading) if number % 2 else word for number, word in enumerate(words)]
    return Markup().join(pieces)


@cache
def library() -> str:
    """Vega, Vega-Lite and vega-embed in one script, under their terms. No text inside it can end the script element."""
    terms = (FOLDER / "licences.txt").read_text(encoding="utf-8").replace("*/", "* /")
    bundle = f"/*\n{terms}*/\n" + vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _answer(record: Record, group: list[ExperimentSummary], sections: list[Section], texts: dict[str, str]) -> Answer:
    first, title = group[0], group_title(group)
    place = f"experiment-{title}" if title in OWN_PLACES else title
    elements = _below_heading(sections, title)
    folds = {element.title: element.elements for element in elements if isinstance(element, Fold)}
    charts_of, behind = charts.of_group(record, group), _behind(record, group, texts)
    details = [
        Details(
            part.heading,
            f"{place}/{part}",
            folds.get(part.heading, []),
            charts_of.get(part, []),
            behind if part is Part.MACHINE else [],
            is_open=part is Part.LOAD and capacity.is_asked(record),
        )
        for part in Part
    ]
    return Answer(
        title=title,
        place=place,
        question=printable(first.plan.question),
        elements=[element for element in elements if not isinstance(element, Fold)],
        pictures=[] if first.plan.point is not None else stacks.pictures(first),
        pictures_load=load_shown(first).words,
        details=[part for part in details if part.elements or part.charts or part.behind],
    )


def _below_heading(sections: list[Section], title: str) -> list[Element]:
    for heading, *elements in sections:
        if isinstance(heading, Heading) and heading.text == title:
            return elements
    return []


def _behind(record: Record, group: list[ExperimentSummary], texts: dict[str, str]) -> list[Arms]:
    return [Arms(series.at(experiment), stacks.behind(experiment, record.path, texts)) for experiment in group]


def _environment(environment: dict[str, object]) -> list[tuple[str, str]]:
    """Names and values; a nested fact is named `programs.nginx`."""
    facts = []
    for name, value in environment.items():
        if isinstance(value, dict):
            facts += [(f"{name}.{key}", printable(str(fact))) for key, fact in value.items()]
        else:
            facts.append((name, printable("unknown" if value is None else str(value))))
    return facts
