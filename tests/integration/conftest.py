"""A browser, started once: a process has room for one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from processes.browser import chromium


@pytest.fixture(scope="session", name="browser")
def launch() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser
