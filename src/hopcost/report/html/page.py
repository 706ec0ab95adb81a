"""The page: what stands on it in which order. Text goes through the template's escaping, charts through JSON."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
import vl_convert

from hopcost.errors import printable
from hopcost.record.run import Record
from hopcost.report import answer, formatting
from hopcost.report.answer import AnswerSentence
from hopcost.report.html import caveats, series, stacks
from hopcost.report.html import charts as html_charts
from hopcost.report.html.stacks import Behind, StackPicture
from hopcost.report.notes import head
from hopcost.report.tables import claims, experiment
from hopcost.report.tables.experiment import ExperimentTables
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions import claims as judging
from hopcost.statistics.questions.claim_result import ClaimOutcome
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.suites.published import label

FOLDER = Path(__file__).parent
TITLES = {THROUGHPUT: "throughput ÷ the baseline's", CPU: "CPU per request ÷ the baseline's"}
SWEPT = (  # of a row: the figure, what it is called, the title of its axis, and how the axis is written
    ("per_s", "answers per second", "answers/s", ",.3~s"),
    ("ratio", "throughput ÷ the baseline's", "ratio", ".2f"),
    ("errors", "errors ÷ (errors + answers)", "errors", ".2~%"),
    ("published_per_s", "the article's requests/s", "answers/s", ",.3~s"),
)
POINTS_OVER_TIME = 900  # of one part of the page: what a file of 3 MB and a screen can hold


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
    """What is behind the arms of one experiment; `at` is the value of a sweep's point."""

    at: str
    arms: list[Behind]


@dataclass(frozen=True)
class Part:
    """An experiment on the page, or all points of a sweep, whose answers stand with their values."""

    title: str
    anchor: str
    question: str
    answers: list[tuple[str, AnswerSentence]]
    shown: ExperimentTables
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
    """One file without any link outside: it may be mailed, opened from disk, kept."""
    seen: dict[str, str] = {}
    judged = [each for suite in judging.suites([record]) for each in judging.judge_claims(suite, [record])]
    tested = [each for each in judged if each.outcome is not ClaimOutcome.NOT_TESTABLE]
    return _template().render(
        record=record,
        title=head.title(record),
        head=head.about(record),
        warnings=head.warnings(record),
        analysis=head.analysis(record),
        command=printable(shlex.join(record.run.command)),
        parts=[_part(record, group, seen) for group in experiment.groups(experiments)],
        claims=[JudgedClaim(each.claim.says, each.outcome.value, claims.tests(each)) for each in tested],
        confidence=formatting.CONFIDENCE_IN_TEXT,
        claims_counted=claims.counted(judged) if judged else "",
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
    """Vega, Vega-Lite and vega-embed in one script, which nothing in it can end early."""
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _part(record: Record, group: list[ExperimentSummary], seen: dict[str, str]) -> Part:
    shown, first = experiment.group_tables(group), group[0]
    is_sweep = first.plan.point is not None
    share, load = stacks.load_shown(first)
    return Part(
        title=shown.title,
        anchor=f"experiment-{shown.title}",
        question=shown.question,
        answers=[(_at(each), answer.answer_experiment(each)) for each in group],
        shown=shown,
        charts=[each for each in (_sweep(group) if is_sweep else _single(record, first, share)) if each.charts],
        folded=_over_time(record, group),
        behind=[Arms(_at(each), stacks.behind(each, record.path, seen)) for each in group],
        pictures=[] if is_sweep else stacks.pictures(first),
        pictures_load=load,
    )


def _at(each: ExperimentSummary) -> str:
    point = each.plan.point
    return "" if point is None else f"{point.key.rpartition('.')[2]} {label(point.value)}"


def _single(record: Record, each: ExperimentSummary, share: float | None) -> list[Charts]:
    return [
        Charts(f"Ratios, with intervals that hold for all arms together at {formatting.CONFIDENCE}", _ratios(each)),
        Charts("CPU time of a request by hop", _cpu(each, share)),
        Charts("Response time at equal offered load, towards the tail", _curves(record, each)),
        Charts("Published beside measured", _published(each)),
    ]


def _ratios(each: ExperimentSummary) -> list[Chart]:
    found = []
    for figure, title in TITLES.items():
        rows, margin = series.ratios(each, figure), series.margin(each, figure)
        band = "no margin: the A/A arm gives none" if margin is None else f"band: the margin of ±{margin:.1%}"
        if rows:
            found.append(Chart(f"▲ better ▼ worse ● same ◆ unknown; {band}", html_charts.ratios(rows, title, margin)))
    return found


def _cpu(each: ExperimentSummary, share: float | None) -> list[Chart]:
    found = []
    for at in dict.fromkeys([share, None]):
        rows = series.cpu(each, at)
        if rows:
            load = "at saturation" if at is None else stacks.load_shown(each)[1]
            found.append(Chart(load, html_charts.cpu(rows, experiment.hops_of(each), "CPU µs per request")))
    return found


def _curves(record: Record, each: ExperimentSummary) -> list[Chart]:
    blocks = record.blocks_of(each.plan.name)
    loads = dict.fromkeys((load.share, load.rate_per_s) for arm in each.arms for load in arm.open_loop)
    found = []
    for share, rate_per_s in loads:
        rows = series.curves(each, blocks, share)
        if rows:
            caption = f"{rate_per_s:,.0f} requests/s, {share:.0%} of the slowest arm's capacity"
            found.append(Chart(caption, html_charts.curves(rows, "share of requests answered by then")))
    return found


def _published(each: ExperimentSummary) -> list[Chart]:
    rows = series.published(each)
    return [Chart(f"the article: {each.plan.published_conditions}", html_charts.published(rows))] if rows else []


def _sweep(group: list[ExperimentSummary]) -> list[Charts]:
    rows = series.sweep(group)
    assert group[0].plan.point is not None, "asked of a sweep"
    key = group[0].plan.point.key.rpartition(".")[2]
    found = [
        Chart(caption, html_charts.sweep(rows, key, figure, title, format))
        for figure, caption, title, format in SWEPT
        if any(row.get(figure) for row in rows)
    ]
    return [Charts(f"By {key}", found)]


def _over_time(record: Record, group: list[ExperimentSummary]) -> list[Chart]:
    found = []
    for each in group:
        rows, spans = series.slices(record.blocks_of(each.plan.name), max(120, POINTS_OVER_TIME // len(group)))
        if rows:
            marked = [sum(span["validity"] == word for span in spans) for word in ("void", "suspect")]
            caption = f"{formatting.count(len(spans), 'block')}, {marked[0]} of them void, {marked[1]} suspect"
            caption = f"{at}: {caption}" if (at := _at(each)) else caption
            found.append(Chart(caption, html_charts.slices(rows, spans)))
    return found


def _environment(environment: dict[str, object]) -> list[tuple[str, str]]:
    """Nested facts flattened to `programs.nginx`."""
    found = []
    for name, value in environment.items():
        if isinstance(value, dict):
            found += [(f"{name}.{key}", printable(str(each))) for key, each in value.items()]
        else:
            found.append((name, printable("unknown" if value is None else str(value))))
    return found
