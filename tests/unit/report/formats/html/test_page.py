"""The HTML report: what stands in the file."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import altair
import golden
import msgspec
import pytest
from samples.blocks import broke_off, plain_block, sound_block
from samples.pages import HOSTILE, hostile, loaded, rendered, swept
from samples.records import record
from samples.reports import everything

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.run import Record
from hopcost.report import Format, render
from hopcost.report.document import Bars
from hopcost.report.formats.html import caveats
from hopcost.report.formats.html import page as pages
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import summarise

LARGEST_BYTES = 3_000_000
VOID = ("meta", "br", "img", "link", "input")
MAKERS = [everything, loaded, hostile, swept, record]


class Reader(HTMLParser):
    """What stands in a page: its addresses, its texts by element, the elements that were not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.charts: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.tables_in_sight = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script" and "figure" in self.open:
            self.charts.append("")
        if tag == "table" and not (dict(attrs).get("class") or "").startswith("bars ") and "details" not in self.open:
            self.tables_in_sight += 1
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["script"]:
            self.words.append(data)
        elif "figure" in self.open:
            self.charts[-1] += data


def read(content: Record) -> Reader:
    reader = Reader()
    reader.feed(rendered(content))
    reader.close()
    return reader


def main(content: str) -> str:
    """The words of the page's main part, with one space between them."""
    shown = re.sub("<[^>]+>", " ", content[content.index("<main") : content.index("</main>")])
    return " ".join(html.unescape(shown).split())


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "library", lambda: "/* Vega */")


@pytest.mark.usefixtures("without_library")
def test_golden() -> None:
    content = rendered(everything())
    for name in ("style.css", "charts.js", "page.js"):  # they stand in the page whole, and once in the repository
        text = (pages.FOLDER / name).read_text(encoding="utf-8")
        assert text in content
        content = content.replace(text, f"/* {name} */\n")
    content = re.sub(r'(id="files">).*?(</script>)', r"\1…\2", content)
    golden.compare("report/report.html", content)


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", MAKERS, ids=lambda make: make.__name__)
def test_the_page_is_well_formed_and_its_addresses_are_its_own(content: Callable[[], Record]) -> None:
    reader = read(content())
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    assert [address for address in reader.addresses if address.removeprefix("#") not in reader.ids] == []


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", MAKERS[:4], ids=lambda make: make.__name__)
def test_every_chart_fits_the_schema_of_vega_lite(content: Callable[[], Record]) -> None:
    charts = [json.loads(script) for script in read(content()).charts]
    assert charts
    for chart in charts:
        altair.Chart.from_dict(chart, validate=True)


@pytest.mark.usefixtures("without_library")
def test_hostile_text_is_shown_as_it_is_and_is_no_element() -> None:
    reader = read(hostile())
    words = "".join(reader.words)
    assert words.count(HOSTILE) > 15
    assert not re.search("<(img|script)[^>]* src", rendered(hostile()))


def test_the_file_is_small_and_carries_what_draws_its_charts() -> None:
    content = rendered(swept())
    assert 500_000 < len(content.encode()) < LARGEST_BYTES
    assert "default-src 'none'" in content


def test_it_carries_the_terms_of_the_scripts_in_it() -> None:
    """BSD and ISC ask for it of every copy."""
    content = rendered(loaded())
    terms = (pages.FOLDER / "licences.txt").read_text(encoding="utf-8")
    assert terms in content
    assert "University of Washington Interactive Data Lab" in terms and "Mike Bostock" in terms


@pytest.mark.usefixtures("without_library")
def test_nothing_is_fetched() -> None:
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", rendered(swept()))


@pytest.mark.usefixtures("without_library")
def test_the_same_record_gives_the_same_page() -> None:
    assert rendered(loaded()) == rendered(loaded())


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", [everything, loaded, swept], ids=lambda make: make.__name__)
def test_the_sentence_and_the_bars_are_the_terminals_and_stand_once(content: Callable[[], Record]) -> None:
    record = content()
    experiments = summarise(record)
    elements = [element for section in record_report(record, experiments).document().sections for element in section]
    shown = main(rendered(record))
    sentences = pages.sentences(elements)
    rows = [row for element in elements if isinstance(element, Bars) for row in element.rows]
    assert rows
    for sentence in sentences:
        assert shown.count(" ".join(sentence.split())) == 1, sentence
    for row in rows:
        assert " ".join(filter(None, row.cells)) in shown


@pytest.mark.usefixtures("without_library")
def test_the_answer_is_what_previews_show() -> None:
    content = rendered(loaded())
    (experiment, *_) = summarise(loaded())
    elements = [element for section in record_report(loaded(), [experiment]).document().sections for element in section]
    answer = pages.sentences(elements)[0]
    title = re.search("<title>(.*?)</title>", content)
    description = re.search('<meta property="og:description" content="(.*?)">', content)
    assert title is not None and html.unescape(title[1]) == f"made-up: {answer}"
    assert description is not None and answer.startswith(html.unescape(description[1])[:100])


@pytest.mark.usefixtures("without_library")
def test_an_experiment_of_a_name_that_the_page_uses_has_an_address_of_its_own() -> None:
    content = record(plain_block(0))
    (experiment,) = content.plan.experiments
    content.plan = msgspec.structs.replace(
        content.plan, experiments=[msgspec.structs.replace(experiment, name="machine")]
    )
    assert {"machine", "experiment-machine"} <= set(read(content).ids)


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", MAKERS, ids=lambda make: make.__name__)
def test_tables_are_folded_and_nothing_is_open_at_first(content: Callable[[], Record]) -> None:
    record = content()
    assert read(record).tables_in_sight == 0
    assert "<details open" not in rendered(record)


@pytest.mark.usefixtures("without_library")
def test_the_json_and_the_csv_report_are_in_the_file() -> None:
    content, result = rendered(everything()), record_report(everything(), summarise(everything()))
    embedded = re.search('<script type="application/json" id="files">(.*?)</script>', content, re.DOTALL)
    assert embedded is not None
    assert json.loads(embedded[1]) == {
        "made-up.json": render(result, Format.JSON),
        "made-up.csv": render(result, Format.CSV),
    }


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", [everything, loaded], ids=lambda make: make.__name__)
def test_a_box_above_the_answers_leads_to_what_changes_the_reading(content: Callable[[], Record]) -> None:
    record = content()
    elements = [
        element for section in record_report(record, summarise(record)).document().sections for element in section
    ]
    page = rendered(record)
    header = page[page.index("<header>") : page.index("</header>")]
    is_cautioned = any(line.startswith(pages.CAUTION) for line in pages.cautions(elements))
    assert ('1 caution: <a href="#cost">cost</a>' in header) == is_cautioned
    assert page.count('<li class="caution">') == is_cautioned


@pytest.mark.usefixtures("without_library")
def test_a_part_of_the_details_is_a_link_to_it() -> None:
    content = loaded()
    content.blocks[3].validity, content.blocks[3].reasons = Validity.SUSPECT, [broke_off("<b>other</b> programs")]
    assert '(<a href="#cost/starts">' in rendered(content)
    assert "--details" not in main(rendered(content))


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize(("slice_ms", "lines_about_it"), [(300, 1), (550, 1), (600, 0)])
def test_what_slices_of_such_a_length_cannot_tell_is_said(slice_ms: int, lines_about_it: int) -> None:
    content = record(sound_block(0))
    (experiment,) = content.plan.experiments
    experiment = msgspec.structs.replace(experiment, slice_ns=slice_ms * 1_000_000)
    content.plan = msgspec.structs.replace(content.plan, experiments=[experiment])
    lines = caveats.lines(content, summarise(content))
    assert sum(line.startswith("Slices shorter than") for line in lines) == lines_about_it


def test_what_is_behind_an_arm_is_shown_once(tmp_path: Path) -> None:
    for arm in ("direct", "behind"):
        folder = tmp_path / "stacks" / "cost" / arm
        folder.mkdir(parents=True)
        (folder / "app.app.conf").write_text("listen <80>;\n")
        (folder / "commands.json").write_text('[{"hop": "app", "cores": [0], "command": ["/app", "-c", "a b"]}]')
    content = rendered(record(plain_block(0), path=tmp_path))
    assert content.count("listen &lt;80&gt;;") == 1
    assert "app.app.conf: the same as cost/direct: app.app.conf" in content
    assert content.count("/app -c a b") == 1
