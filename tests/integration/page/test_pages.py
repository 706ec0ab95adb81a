"""The pages of `hopcost serve` in a real browser, at the width of a desk and of a phone, with and without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from processes.browser import DESK, Seen

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}}
NAMES = [
    "list", "search", "record", "full", "lost", "hostile", "compared", "refused", "histories", "history",
    "hostile history", "nowhere",
]  # fmt: skip
ALL_OPEN = "for (const part of document.querySelectorAll('details')) part.open = true"
FAILED = "Failed to load resource: the server responded with a status of "  # what Chromium says of a page that is none


def said(seen: Seen) -> list[str]:
    return [line for line in seen.said if not line.startswith(FAILED)]


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_breaks_no_policy_asks_nobody_else_and_fits(
    browser: Browser, addresses: dict[str, str], name: str, size: dict[str, Any]
) -> None:
    """A script or a style against the policy would be told on the console."""
    seen = Seen(browser, addresses[name], **size)
    seen.page.evaluate(ALL_OPEN)
    charts = seen.number("figure.chart")
    seen.wait_until(f"document.querySelectorAll('figure.chart .canvas svg').length == {charts}")
    site = addresses["list"]
    assert said(seen) == []
    assert [address for address in seen.asked if not address.startswith((site, "data:"))] == []
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    assert seen.page.title() != "taken"
    seen.page.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(
    browser: Browser, addresses: dict[str, str], name: str, size: dict[str, Any], colours: str
) -> None:
    options: dict[str, Any] = {**size, "color_scheme": colours}
    context = browser.new_context(**options, bypass_csp=True)  # axe itself is a script put in
    page = context.new_page()
    page.goto(addresses[name])
    page.evaluate(ALL_OPEN)
    violations = Axe().run(page).response["violations"]
    context.close()
    assert [
        f"{violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:300]}" for violation in violations
    ] == []


def test_charts_of_a_report_are_drawn_below_the_policy(browser: Browser, addresses: dict[str, str]) -> None:
    seen = Seen(browser, addresses["full"], **DESK)
    seen.page.evaluate(ALL_OPEN)
    assert seen.number("figure.chart") >= 2
    seen.wait_until("document.querySelectorAll('.canvas svg').length >= 2")
    mark = seen.page.locator(".canvas svg .mark-symbol.role-mark path").first
    mark.hover(force=True)
    expect(seen.page.locator("#vg-tooltip-element")).to_be_visible()
    assert said(seen) == []


def test_a_point_of_the_chart_shows_its_record_and_opens_it(browser: Browser, addresses: dict[str, str]) -> None:
    seen = Seen(browser, addresses["history"], **DESK)
    points = seen.page.locator("svg.history a")
    assert points.count() == 24
    titles = points.locator("title").all_text_contents()
    assert all("branch=main" in title for title in titles) and len(set(titles)) == 24
    link = points.nth(20).get_attribute("href")
    points.nth(20).locator(".reach").click()
    seen.page.wait_for_url(f"**{link}")
    assert seen.page.locator("h1").inner_text() == "A made-up suite"


def test_the_chart_is_as_wide_as_its_place(browser: Browser, addresses: dict[str, str]) -> None:
    for size in (DESK, PHONE):
        seen = Seen(browser, addresses["history"], **size)
        box = seen.page.locator("svg.history").bounding_box()
        assert box is not None and box["width"] > 0.8 * min(size["viewport"]["width"], 1216)
        circles = seen.page.locator("svg.history circle")
        first, last = circles.first.bounding_box(), circles.last.bounding_box()
        assert first is not None and last is not None
        assert last["x"] - first["x"] > 0.7 * box["width"]
        assert last["y"] > first["y"], "the newer records are slower"
        words = seen.page.locator("svg.history text")
        for number in range(words.count()):
            place = words.nth(number).bounding_box()
            assert place is None or (place["x"] >= 0 and place["x"] + place["width"] <= size["viewport"]["width"])


def test_a_change_is_told_and_its_records_compared(browser: Browser, addresses: dict[str, str]) -> None:
    seen = Seen(browser, addresses["history"], **DESK)
    change = seen.page.locator(".changes > li")
    assert change.count() == 1
    assert "proxy 1.22.1 → 1.24.0" in change.inner_text()
    change.get_by_text("Compare the two").click()
    seen.page.wait_for_url("**/compare?*")
    assert seen.page.locator(".answer").count() >= 1


def choose_with_keys(page: Page, value: str, number: int) -> None:
    page.locator(f".kept > li:nth-child({number}) input[name={value}]").focus()
    page.keyboard.press("Space")


def test_two_records_are_compared_by_keyboard_alone(browser: Browser, addresses: dict[str, str]) -> None:
    seen = Seen(browser, addresses["search"], **DESK)
    reached = []
    for _ in range(200):
        seen.page.keyboard.press("Tab")
        reached.append(seen.page.evaluate("document.activeElement.name || document.activeElement.className || ''"))
    assert reached[0] == "skip"
    assert {"words", "suite", "arm", "label", "machine", "a", "b"} <= set(reached)
    choose_with_keys(seen.page, "a", 20)
    choose_with_keys(seen.page, "b", 2)
    seen.page.keyboard.press("Enter")
    seen.page.wait_for_url("**/compare?*")
    assert seen.page.locator(".answer").count() >= 1


def test_the_way_to_the_content_is_the_first_one(browser: Browser, addresses: dict[str, str]) -> None:
    for name in NAMES:
        seen = Seen(browser, addresses[name], **DESK)
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("document.activeElement.className") == "skip", name
        seen.page.keyboard.press("Enter")
        seen.wait_until("document.activeElement.tagName == 'MAIN' || location.hash != ''")
        seen.page.close()


def test_all_works_without_scripts_but_the_charts_of_reports(browser: Browser, addresses: dict[str, str]) -> None:
    context = browser.new_context(**DESK, java_script_enabled=False)
    page = context.new_page()
    page.goto(addresses["list"])
    page.get_by_label("Words").fill("4f2a91c")
    page.get_by_role("button", name="Search").click()
    assert page.locator(".kept > li").count() == 24
    page.locator(".kept > li").first.get_by_role("link").first.click()
    assert page.locator("svg.bar").count() >= 1
    page.locator(".kept-at summary").click()
    page.locator(".kept-at").get_by_text("cost/behind").click()
    assert page.locator("svg.history circle").count() >= 24
    page.go_back()
    page.go_back()
    page.locator(".kept > li:nth-child(20) input[name=a]").check()
    page.locator(".kept > li:nth-child(2) input[name=b]").check()
    page.get_by_role("button", name="Compare A with B").click()
    assert page.locator(".answer").count() >= 1
    context.close()


def test_a_search_narrows_and_its_parts_are_taken_away(browser: Browser, addresses: dict[str, str]) -> None:
    seen = Seen(browser, addresses["list"], **PHONE)
    assert seen.page.locator(".kept > li").count() == 27
    seen.page.get_by_text("branch=full").click()
    assert seen.page.locator(".kept > li").count() == 1
    seen.page.get_by_label("without label: branch=full").click()
    assert seen.page.locator(".kept > li").count() == 27
    seen.page.get_by_label("Words").fill("nothing that is there")
    seen.page.keyboard.press("Enter")
    expect(seen.page.get_by_role("status")).to_have_text("No record fits.")


def test_any_figure_is_saved_as_csv(browser: Browser, addresses: dict[str, str], tmp_path: Path) -> None:
    for name, word, begins in (("record", "CSV", "suite,experiment,"), ("history", "CSV", "machine,host,")):
        seen = Seen(browser, addresses[name], **DESK)
        with seen.page.expect_download() as download:
            seen.page.get_by_role("link", name=word).first.click()
        assert download.value.suggested_filename.endswith(".csv")
        assert Path(download.value.path()).read_text(encoding="utf-8").startswith(begins)


def test_dark_is_dark(browser: Browser, addresses: dict[str, str]) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        page = browser.new_page(**DESK, color_scheme=scheme)
        page.goto(addresses["history"])
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        text = page.evaluate("getComputedStyle(document.querySelector('svg.history text')).fill")
        colours.add((body, text))
        page.close()
    assert len(colours) == 2


def test_hostile_words_stay_words(browser: Browser, addresses: dict[str, str]) -> None:
    for name in ("list", "hostile", "histories", "hostile history"):
        seen = Seen(browser, addresses[name], **DESK)
        assert "onerror=" in seen.page.locator("main").inner_text()
        assert seen.number("img") == 0 and seen.page.title() != "taken"
        seen.page.close()
