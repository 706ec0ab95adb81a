"""The page: what it shows in which order. The template escapes text, JSON escapes charts."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
import vl_convert

from hopcost.errors import printable
from hopcost.record.run import Record
from hopcost.report import formatting
from hopcost.report.brief import answer
from hopcost.report.document import Lines, Table
from hopcost.report.html import caveats, series, stacks
from hopcost.report.html import charts as html_charts
from hopcost.report.html.stacks import Behind, StackPicture
from hopcost.report.notes import head
from hopcost.report.questions import claims
from hopcost.report.tables.details import details
from hopcost.report.tables.experiment import group_title, groups, hops_of
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions import claims as judging
from hopcost.statistics.questions.claim_decision import ClaimOutcome
from hopcost.statistics.summary.summary import ExperimentSummary

FOLDER = Path(__file__).parent
TITLES = {THROUGHPUT: "throughput ÷ the baseline's", CPU: "CPU per request ÷ the baseline's"}
SWEPT = (  # key of a row, caption, title of the axis, number format of the axis
    ("per_s", "answers per second", "answers/s", ",.3~s"),
    ("ratio", "throughput ÷ the baseline's", "ratio", ".2f"),
    ("errors", "errors ÷ (errors + answers)", "errors", ".2~%"),
    ("published_per_s", "the article's requests/s", "answers/s", ",.3~s"),
)
POINTS_OVER_TIME = 900  # in one part of the page: more would not fit a file of 3 MB or a screen


@dataclass(frozen=True)
class Chart:
    """One picture: `specification` is Vega-Lite."""

    caption: str
    specification: html_charts.Spec


@dataclass(frozen=True)
class Charts:
    """Charts under one heading."""

    title: str
    charts: list[Chart]


@dataclass(frozen=True)
class Arms:
    """Settings and files of one experiment's arms; `at` is its value of a sweep."""

    at: str
    arms: list[Behind]


@dataclass(frozen=True)
class Part:
    """An experiment on the page, or all points of a sweep. Each answer of a sweep names its value."""

    title: str
    anchor: str
    question: str
    answers: list[tuple[str, str]]
    tables: list[Table]
    notes: list[str]
    charts: list[Charts]
    folded: list[Chart]
    behind: list[Arms]
    pictures: list[StackPicture]
    pictures_load: str


@dataclass(frozen=True)
class JudgedClaim:
    """A claim in words."""

    says: str
    outcome: str
    tests: list[str]


def render(record: Record, experiments: list[ExperimentSummary]) -> str:
    """One file without links to other files: people can mail it, open it from disk, keep it."""
    places: dict[str, str] = {}
    results = [claim for suite in judging.suites([record]) for claim in judging.judge_claims(suite, [record])]
    tested = [claim for claim in results if claim.outcome is not ClaimOutcome.NOT_TESTABLE]
    return _template().render(
        record=record,
        title=head.title(record),
        head=head.about(record),
        warnings=head.warnings(record),
        analysis=head.analysis(record),
        command=printable(shlex.join(record.run.command)),
        parts=[_part(record, group, places) for group in groups(experiments)],
        claims=[JudgedClaim(claim.claim.says, claim.outcome.value, claims.tests(claim)) for claim in tested],
        confidence=formatting.CONFIDENCE_IN_TEXT,
        claims_counted=claims.counted(results) if results else "",
        caveats=caveats.lines(record, experiments),
        environment=_environment(record.environment),
        style=(FOLDER / "style.css").read_text(encoding="utf-8"),
        script=(FOLDER / "page.js").read_text(encoding="utf-8"),
        library=_library(),
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template("page.html.j2")


@cache
def _library() -> str:
    """Vega, Vega-Lite and vega-embed in one script, under their terms. No text inside it can end the script element."""
    terms = (FOLDER / "licences.txt").read_text(encoding="utf-8").replace("*/", "* /")
    bundle = f"/*\n{terms}*/\n" + vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _part(record: Record, group: list[ExperimentSummary], places: dict[str, str]) -> Part:
    title, first = group_title(group), group[0]
    elements = [element for part in details(group).values() for element in part]
    is_sweep = first.plan.point is not None
    share, load = stacks.load_shown(first)
    return Part(
        title=title,
        anchor=f"experiment-{title}",
        question=first.plan.question,
        answers=[(_at(experiment), answer.sentence(experiment)) for experiment in group],
        tables=[element for element in elements if isinstance(element, Table)],
        notes=[line for element in elements if isinstance(element, Lines) for line in element.lines],
        charts=[charts for charts in (_sweep(group) if is_sweep else _single(record, first, share)) if charts.charts],
        folded=_over_time(record, group),
        behind=[Arms(_at(experiment), stacks.behind(experiment, record.path, places)) for experiment in group],
        pictures=[] if is_sweep else stacks.pictures(first),
        pictures_load=load,
    )


def _at(experiment: ExperimentSummary) -> str:
    return f"{formatting.swept_key(experiment)} {formatting.swept_value(experiment)}".strip()


def _single(record: Record, experiment: ExperimentSummary, share: float | None) -> list[Charts]:
    return [
        Charts(
            f"Ratios, with intervals that hold for all arms together at {formatting.CONFIDENCE}", _ratios(experiment)
        ),
        Charts("CPU time of a request by hop", _cpu(experiment, share)),
        Charts("Response time at equal offered load, towards the tail", _curves(record, experiment)),
        Charts("Published beside measured", _published(experiment)),
    ]


def _ratios(experiment: ExperimentSummary) -> list[Chart]:
    charts = []
    for figure, title in TITLES.items():
        rows, margin = series.ratios(experiment, figure), experiment.margin
        legend = f"▲ better ▼ worse ● same ◆ not settled ✚ no verdict; band: the margin of ±{margin:.1%}"
        if rows:
            charts.append(Chart(legend, html_charts.ratios(rows, title, margin)))
    return charts


def _cpu(experiment: ExperimentSummary, share: float | None) -> list[Chart]:
    charts = []
    for at in dict.fromkeys([share, None]):
        rows = series.cpu(experiment, at)
        if rows:
            load = "at saturation" if at is None else stacks.load_shown(experiment)[1]
            charts.append(Chart(load, html_charts.cpu(rows, hops_of(experiment), "CPU µs per request")))
    return charts


def _curves(record: Record, experiment: ExperimentSummary) -> list[Chart]:
    blocks = record.blocks_of(experiment.plan.name)
    loads = dict.fromkeys((load.share, load.rate_per_s) for arm in experiment.arms for load in arm.open_loop)
    charts = []
    for share, rate_per_s in loads:
        rows = series.curves(experiment, blocks, share)
        if rows:
            caption = f"{rate_per_s:,.0f} requests/s, {share:.0%} of the slowest arm's capacity"
            charts.append(Chart(caption, html_charts.curves(rows, "share of requests answered by then")))
    return charts


def _published(experiment: ExperimentSummary) -> list[Chart]:
    rows = series.published(experiment)
    return [Chart(f"the article: {experiment.plan.published_conditions}", html_charts.published(rows))] if rows else []


def _sweep(group: list[ExperimentSummary]) -> list[Charts]:
    rows = series.sweep(group)
    key = formatting.swept_key(group[0])
    charts = [
        Chart(caption, html_charts.sweep(rows, key, figure, title, format))
        for figure, caption, title, format in SWEPT
        if any(row.get(figure) for row in rows)
    ]
    return [Charts(f"By {key}", charts)]


def _over_time(record: Record, group: list[ExperimentSummary]) -> list[Chart]:
    charts = []
    for experiment in group:
        rows, spans = series.slices(record.blocks_of(experiment.plan.name), max(120, POINTS_OVER_TIME // len(group)))
        if rows:
            void, suspect = (sum(span["validity"] == word for span in spans) for word in ("void", "suspect"))
            caption = f"{formatting.count(len(spans), 'block')}, {void} of them void, {suspect} suspect"
            caption = f"{at}: {caption}" if (at := _at(experiment)) else caption
            charts.append(Chart(caption, html_charts.slices(rows, spans)))
    return charts


def _environment(environment: dict[str, object]) -> list[tuple[str, str]]:
    """Names and values; a nested fact is named `programs.nginx`."""
    facts = []
    for name, value in environment.items():
        if isinstance(value, dict):
            facts += [(f"{name}.{key}", printable(str(fact))) for key, fact in value.items()]
        else:
            facts.append((name, printable("unknown" if value is None else str(value))))
    return facts
