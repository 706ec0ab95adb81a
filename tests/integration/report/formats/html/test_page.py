"""The HTML report in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from processes.browser import DESK, PHONE, Seen

from hopcost.report import Part

NAMES = ["everything", "loaded", "hostile", "swept"]
ALL_OPEN = "for (const part of document.querySelectorAll('details')) part.open = true"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_every_chart_is_drawn_and_nothing_is_said_or_asked_for(
    browser: Browser, pages: dict[str, Path], name: str, size: dict[str, Any]
) -> None:
    seen = Seen(browser, pages[name], **size)
    seen.page.evaluate(ALL_OPEN)
    charts = seen.number("figure.chart")
    assert charts >= 1
    seen.wait_until(f"document.querySelectorAll('figure.chart .canvas svg').length == {charts}")
    assert seen.said == []
    assert seen.asked == [pages[name].as_uri()]
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    assert seen.page.title() != "taken"


@pytest.mark.parametrize("name", ["nine", "loaded"])
def test_a_page_opens_without_drawing_any_chart(browser: Browser, pages: dict[str, Path], name: str) -> None:
    seen = Seen(browser, pages[name], **DESK)
    assert seen.number(".canvas svg") == 0
    assert seen.page.evaluate("typeof vegaEmbed") == "undefined"


def test_the_first_bar_is_on_the_first_screen_of_a_phone(browser: Browser, pages: dict[str, Path]) -> None:
    seen = Seen(browser, pages["loaded"], viewport={"width": 390, "height": 800})
    box = seen.page.locator("svg.bar").first.bounding_box()
    assert box is not None and box["y"] < 600 and box["width"] > 100


def test_an_experiment_takes_about_a_screen(browser: Browser, pages: dict[str, Path]) -> None:
    """Two experiments of a demo on four screens: nine that are as small take at most one screen each."""
    seen = Seen(browser, pages["nine"], viewport={"width": 1280, "height": 800})
    heights = seen.page.evaluate("[...document.querySelectorAll('.experiment')].map((part) => part.offsetHeight)")
    assert len(heights) == 9 and max(heights) < 800


def test_the_open_loop_has_curves_and_void_starts_are_marked(browser: Browser, pages: dict[str, Path]) -> None:
    seen = Seen(browser, pages["loaded"], **DESK)
    for name in (Part.LOAD, Part.STARTS):
        seen.page.get_by_text(name.heading, exact=True).click()
        seen.page.wait_for_selector(f"details[id='cost/{name}'] .canvas svg")
    words = seen.page.locator(f"details[id='cost/{Part.STARTS}'] .canvas svg").text_content() or ""
    assert "void" in words


def test_dark_colours_are_others_and_follow_the_reader(browser: Browser, pages: dict[str, Path]) -> None:
    seen = Seen(browser, pages["loaded"], **DESK, color_scheme="light")
    seen.page.evaluate(ALL_OPEN)
    seen.page.wait_for_selector(".canvas svg text")

    def colours() -> tuple[str, str]:
        body = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        text = seen.page.locator(".canvas svg text").first.get_attribute("fill") or ""
        return body, text

    light = colours()
    seen.page.emulate_media(color_scheme="dark")
    seen.wait_until(f"document.querySelector('.canvas svg text').getAttribute('fill') != '{light[1]}'")
    dark = colours()
    assert light[0] != dark[0] and light[1] != dark[1]


def test_an_address_opens_what_it_points_at(browser: Browser, pages: dict[str, Path]) -> None:
    seen = Seen(browser, pages["loaded"], address="#machine", **DESK)
    assert seen.page.evaluate("document.getElementById('machine').open")
    assert not seen.page.evaluate("document.getElementById('limits').open")
    seen.page.locator("nav").get_by_text("Limits").click()
    seen.wait_until("document.getElementById('limits').open")
    assert seen.page.get_by_text("Nothing here is your application").is_visible()


def test_the_keyboard_reaches_all_and_opens_what_is_folded(browser: Browser, pages: dict[str, Path]) -> None:
    seen = Seen(browser, pages["loaded"], **DESK)
    reached = []
    for _ in range(60):
        seen.page.keyboard.press("Tab")
        reached.append(seen.page.evaluate("document.activeElement.className || document.activeElement.tagName"))
    assert reached[0] == "skip"
    assert {"A", "SUMMARY", "BUTTON"} <= set(reached)
    seen.page.locator("summary").first.focus()
    seen.page.keyboard.press("Enter")
    assert seen.page.locator("details").first.evaluate("(part) => part.open")


def test_the_way_through_the_page_stays_in_sight(browser: Browser, pages: dict[str, Path]) -> None:
    for size in (DESK, PHONE):
        seen = Seen(browser, pages["nine"], address="#cost-5", reduced_motion="reduce", **size)
        current = seen.page.locator("nav a[aria-current]")
        current.wait_for()
        assert current.inner_text() == "cost-5"
        box = current.bounding_box()
        assert box is not None and 0 <= box["y"] < size["viewport"]["height"] and box["x"] >= 0


def test_all_is_open_on_paper_and_folded_again_after(browser: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    seen = Seen(browser, pages["loaded"], **DESK)
    seen.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert seen.number("details:not([open])") == 0
    assert seen.number(".canvas svg") == seen.number("figure.chart") > 1
    seen.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert seen.number("details[open]") == 0
    path = tmp_path / "page.pdf"
    seen.page.pdf(path=path)
    assert path.read_bytes().startswith(b"%PDF")
    assert seen.said == []


def test_the_command_is_copied_and_the_data_are_saved(browser: Browser, pages: dict[str, Path]) -> None:
    seen = Seen(browser, pages["loaded"], **DESK)
    seen.page.get_by_role("button", name="copy").click()
    seen.wait_until("document.getElementById('status').textContent != ''")
    assert seen.page.evaluate("getSelection().toString()") == "hopcost run made-up"
    for ending, start in (("json", "{\n"), ("csv", "suite,experiment,")):
        with seen.page.expect_download() as download:
            seen.page.get_by_role("button", name=f"made-up.{ending}").click()
        assert download.value.suggested_filename == f"made-up.{ending}"
        assert Path(download.value.path()).read_text(encoding="utf-8").startswith(start)
