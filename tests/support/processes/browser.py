"""A page in Debian's Chromium, and what it said and asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from processes.needed import need_command

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}}
LONGEST_S = 30.0


@contextmanager
def chromium() -> Iterator[Browser]:
    """Without a sandbox, since tests run as root."""
    path = need_command("chromium", "make setup installs it")  # with no path Playwright would look for one of its own
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Seen:
    """A page as it was opened, a file's or a server's, and what it said and asked for."""

    def __init__(self, browser: Browser, place: Path | str, address: str = "", **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto((place if isinstance(place, str) else place.as_uri()) + address)

    def _console(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)

    def number(self, selector: str) -> int:
        """How many such elements there are."""
        return self.page.locator(selector).count()

    def wait_until(self, condition: str) -> None:
        """Asks this JavaScript until it is true. Playwright's `wait_for_function` asks a second time by `eval` in the
        page, which the page's own policy forbids.
        """
        deadline = time.monotonic() + LONGEST_S
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, condition
            self.page.wait_for_timeout(20)
