"""The HTML report: what stands in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import altair
import golden
import msgspec
import pytest
from samples.pages import HOSTILE, hostile, loaded, rendered, swept
from samples.records import plain_block, record, sound_block
from samples.reports import everything

from hopcost.record.run import Record
from hopcost.report.html import caveats
from hopcost.report.html import page as pages
from hopcost.statistics.summary.summary import summarise

LARGEST_BYTES = 3_000_000


class Reader(HTMLParser):
    """What stands in a page: its addresses, its texts by element, the elements that were not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "img", "link", "input"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)


def read(content: Record) -> Reader:
    reader = Reader()
    reader.feed(rendered(content))
    reader.close()
    return reader


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_library", lambda: "/* Vega */")


@pytest.mark.usefixtures("without_library")
def test_golden() -> None:
    content = rendered(everything())
    for name in ("style.css", "page.js"):  # they stand in the page whole, and once in the repository
        text = (pages.FOLDER / name).read_text(encoding="utf-8")
        assert text in content
        content = content.replace(text, f"/* {name} */\n")
    golden.compare("report/report.html", content)


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", [everything, loaded, hostile, swept, record], ids=lambda make: make.__name__)
def test_the_page_is_well_formed_and_its_addresses_are_its_own(content: Callable[[], Record]) -> None:
    reader = read(content())
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    assert [address for address in reader.addresses if address.removeprefix("#") not in reader.ids] == []


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", [everything, loaded, hostile, swept], ids=lambda make: make.__name__)
def test_every_chart_fits_the_schema_of_vega_lite(content: Callable[[], Record]) -> None:
    charts = [json.loads(script) for script in read(content()).scripts if script.startswith("{")]
    assert charts
    for chart in charts:
        altair.Chart.from_dict(chart, validate=True)


@pytest.mark.usefixtures("without_library")
def test_hostile_text_is_shown_as_it_is_and_is_no_element() -> None:
    reader = read(hostile())
    words = "".join(reader.words)
    for where in ("note: ", "warning: ", "disturbed: all 6 starts: ", "conditions: "):
        assert f"{where}{HOSTILE}" in words, where
    assert words.count(HOSTILE) >= 15
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
def test_the_answer_comes_first() -> None:
    content = rendered(loaded())
    assert content.index("of the app&#39;s throughput") < content.index("<h2>")


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize(("slice_ms", "said"), [(300, 1), (550, 1), (600, 0)])
def test_what_slices_of_such_a_length_cannot_tell_is_said(slice_ms: int, said: int) -> None:
    content = record(sound_block(0))
    (experiment,) = content.plan.experiments
    experiment = msgspec.structs.replace(experiment, slice_ns=slice_ms * 1_000_000)
    content.plan = msgspec.structs.replace(content.plan, experiments=[experiment])
    lines = caveats.lines(content, summarise(content))
    assert sum(line.startswith("Slices shorter than") for line in lines) == said


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
