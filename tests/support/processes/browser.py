"""A page in Debian's Chromium, and what it said and asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Without a sandbox, since tests run as root."""
    path = shutil.which("chromium")
    if path is None and os.environ.get("CI") != "true":
        pytest.skip("no chromium; hint: apt-get install chromium")
    assert path is not None, "make setup installs it; without a path Playwright would look for a browser of its own"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Seen:
    """A page as it was opened, and what it said and asked for."""

    def __init__(self, browser: Browser, path: Path, address: str = "", **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri() + address)

    def _console(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)

    def number(self, selector: str) -> int:
        """How many such elements there are."""
        return self.page.locator(selector).count()
