"""The HTML report: what stands in the file, and what a real browser makes of it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import golden
import msgspec
import pytest
from factory import plain_block, plan_of, record, sound_block
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from test_reports import everything

from hopcost.planned import Point
from hopcost.record import Record
from hopcost.report import html
from hopcost.report.html import caveats
from hopcost.report.html import page as pages
from hopcost.summary import summarise

LARGEST_BYTES = 3_000_000
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">{{ 7*7 }}"


def rendered(content: Record) -> str:
    return html.render(content, summarise(content))


def loaded() -> Record:
    """Blocks with an open loop, one of them void."""
    blocks = [sound_block(number) for number in range(6)]
    blocks[2].validity, blocks[2].reasons = "void", ["the machine stood still"]
    return record(*blocks, plan=plan_of(quick=False))


def hostile() -> Record:
    """Everything that a suite, a server or a person may have written is an attack."""
    content = loaded()
    plan = content.plan
    (experiment,) = plan.experiments
    arms = [
        msgspec.structs.replace(arm, arm=msgspec.structs.replace(arm.arm, title=HOSTILE)) for arm in experiment.arms
    ]
    experiment = msgspec.structs.replace(
        experiment, question=HOSTILE, arms=arms, notes=[HOSTILE], published_conditions=HOSTILE
    )
    content.plan = msgspec.structs.replace(plan, title=HOSTILE, analysis=HOSTILE, experiments=[experiment])
    content.run.command = ["hopcost", "run", HOSTILE]
    content.environment = {"cpu": HOSTILE, "programs": {HOSTILE: HOSTILE}, "allowed_cores": [0, 1]}
    content.warnings = [HOSTILE]
    for block in content.blocks:
        block.reasons = [HOSTILE]
        block.validity = "suspect"
    return content


def swept() -> Record:
    """A sweep of three values."""
    plan = plan_of()
    (experiment,) = plan.experiments
    points = [
        msgspec.structs.replace(
            experiment, name=f"cost@{value}", point=Point(experiment="cost", key="workload.connections", value=value)
        )
        for value in (10, 100, 1000)
    ]
    blocks = []
    for number, point in enumerate(points):
        for each in range(4):
            block = plain_block(each, 1000, 1000, 400 + 100 * number + each)
            block.experiment = point.name
            blocks.append(block)
    return record(*blocks, plan=msgspec.structs.replace(plan, experiments=points))


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
    golden.compare("report.html", content)


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize("content", [everything, loaded, hostile, swept, record], ids=lambda make: make.__name__)
def test_the_page_is_well_formed_and_its_addresses_are_its_own(content) -> None:
    reader = read(content())
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    assert [address for address in reader.addresses if address.removeprefix("#") not in reader.ids] == []


@pytest.mark.usefixtures("without_library")
def test_hostile_text_is_shown_as_it_is_and_is_no_element() -> None:
    reader = read(hostile())
    words = "".join(reader.words)
    for where in ("note: ", "warning: ", "suspect: block 1: ", "conditions: "):
        assert f"{where}{HOSTILE}" in words, where
    assert words.count(HOSTILE) > 15
    assert not re.search("<(img|script)[^>]* src", rendered(hostile()))


def test_the_file_is_small_and_carries_what_draws_its_charts() -> None:
    content = rendered(swept())
    assert 500_000 < len(content.encode()) < LARGEST_BYTES
    assert "default-src 'none'" in content


@pytest.mark.usefixtures("without_library")
def test_nothing_is_fetched() -> None:
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", rendered(swept()))


@pytest.mark.usefixtures("without_library")
def test_the_same_record_gives_the_same_page() -> None:
    assert rendered(loaded()) == rendered(loaded())


@pytest.mark.usefixtures("without_library")
def test_the_answer_comes_first() -> None:
    content = rendered(loaded())
    assert content.index("Beside the app alone, a proxy before it ") < content.index("<h2>")


@pytest.mark.usefixtures("without_library")
@pytest.mark.parametrize(("slice_ms", "said"), [(100, 2), (250, 2), (300, 1), (950, 1), (1000, 0)])
def test_what_slices_of_such_a_length_cannot_tell_is_said(slice_ms, said) -> None:
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


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; no sandbox, since tests run as root."""
    path = shutil.which("chromium")
    if path is None and os.environ.get("CI") != "true":
        pytest.skip("no chromium; hint: apt-get install chromium")
    assert path is not None, "make setup installs it; without a path Playwright would look for a browser of its own"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


class Seen:
    """A page as it was opened, and what it said and asked for."""

    def __init__(self, browser: Browser, path: Path, **options: object) -> None:
        self.page: Page = browser.new_page(**options)  # type: ignore[arg-type]
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-charts=drawn]")

    def _console(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)

    def number(self, selector: str) -> int:
        return self.page.locator(selector).count()


DESK = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for make in (everything, loaded, hostile, swept):
        made[make.__name__] = folder / f"{make.__name__}.html"
        made[make.__name__].write_text(rendered(make()), encoding="utf-8")
    return made


@pytest.mark.parametrize("name", ["everything", "loaded", "hostile", "swept"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_every_chart_is_drawn_and_nothing_is_said_or_asked_for(browser, files, name, size) -> None:
    seen = Seen(browser, files[name], **size)
    seen.page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    charts = seen.number("figure.chart")
    assert charts >= 2
    seen.page.wait_for_function(f"document.querySelectorAll('figure.chart .canvas svg').length == {charts}")
    assert seen.said == []
    assert seen.asked == [files[name].as_uri()]
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    assert seen.page.title() != "taken"


def test_the_open_loop_has_curves_and_void_blocks_are_marked(browser, files) -> None:
    seen = Seen(browser, files["loaded"], **DESK)
    assert "towards the tail" in seen.page.inner_text("main")
    seen.page.get_by_text("Slices over time").click()
    seen.page.wait_for_function("document.querySelectorAll('details.print .canvas svg').length == 1")
    assert "void" in (seen.page.locator("details.print .canvas svg").text_content() or "")


def test_dark_colours_are_others_and_follow_the_reader(browser, files) -> None:
    seen = Seen(browser, files["loaded"], **DESK, color_scheme="light")

    def colours() -> tuple[str, str]:
        body = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        text = seen.page.locator(".canvas svg text").first.get_attribute("fill") or ""
        return body, text

    light = colours()
    seen.page.emulate_media(color_scheme="dark")
    seen.page.wait_for_function(f"document.querySelector('.canvas svg text').getAttribute('fill') != '{light[1]}'")
    dark = colours()
    assert light[0] != dark[0] and light[1] != dark[1]


def test_the_keyboard_reaches_answers_tables_and_folded_parts(browser, files) -> None:
    seen = Seen(browser, files["loaded"], **DESK)
    reached = []
    for _ in range(40):
        seen.page.keyboard.press("Tab")
        reached.append(seen.page.evaluate("document.activeElement.className || document.activeElement.tagName"))
    assert reached[0] == "skip"
    assert {"A", "SUMMARY", "scroll"} <= set(reached)


def test_it_prints_with_its_slices(browser, files, tmp_path: Path) -> None:
    seen = Seen(browser, files["loaded"], **DESK)
    path = tmp_path / "page.pdf"
    seen.page.pdf(path=path)
    assert path.read_bytes().startswith(b"%PDF")
    assert seen.page.evaluate("document.querySelector('details.print').open") is True
