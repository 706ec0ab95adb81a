"""The HTML report in a real browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from samples.pages import hostile, loaded, rendered, swept
from samples.reports import everything


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
def test_every_chart_is_drawn_and_nothing_is_said_or_asked_for(
    browser: Browser, files: dict[str, Path], name: str, size: dict[str, dict[str, int]]
) -> None:
    seen = Seen(browser, files[name], **size)
    seen.page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    charts = seen.number("figure.chart")
    assert charts >= 2
    seen.page.wait_for_function(f"document.querySelectorAll('figure.chart .canvas svg').length == {charts}")
    assert seen.said == []
    assert seen.asked == [files[name].as_uri()]
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    assert seen.page.title() != "taken"


def test_the_open_loop_has_curves_and_void_blocks_are_marked(browser: Browser, files: dict[str, Path]) -> None:
    seen = Seen(browser, files["loaded"], **DESK)
    assert "towards the tail" in seen.page.inner_text("main")
    seen.page.get_by_text("Slices over time").click()
    seen.page.wait_for_function("document.querySelectorAll('details.print .canvas svg').length == 1")
    assert "void" in (seen.page.locator("details.print .canvas svg").text_content() or "")


def test_dark_colours_are_others_and_follow_the_reader(browser: Browser, files: dict[str, Path]) -> None:
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


def test_the_keyboard_reaches_answers_tables_and_folded_parts(browser: Browser, files: dict[str, Path]) -> None:
    seen = Seen(browser, files["loaded"], **DESK)
    reached = []
    for _ in range(40):
        seen.page.keyboard.press("Tab")
        reached.append(seen.page.evaluate("document.activeElement.className || document.activeElement.tagName"))
    assert reached[0] == "skip"
    assert {"A", "SUMMARY", "scroll"} <= set(reached)


def test_it_prints_with_its_slices(browser: Browser, files: dict[str, Path], tmp_path: Path) -> None:
    seen = Seen(browser, files["loaded"], **DESK)
    path = tmp_path / "page.pdf"
    seen.page.pdf(path=path)
    assert path.read_bytes().startswith(b"%PDF")
    assert seen.page.evaluate("document.querySelector('details.print').open") is True
