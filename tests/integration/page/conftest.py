"""A browser, and a page over a history with everything, each started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from histories.served import addresses_of, fill, served
from playwright.sync_api import Browser
from processes.browser import chromium


@pytest.fixture(scope="session", name="browser")
def launch() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session", name="addresses")
def serve_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Of every kind of page, by its name."""
    folder = tmp_path_factory.mktemp("served")
    database = str(folder / "history.sqlite")
    fill(database, folder)
    with served(database, folder) as site:
        yield addresses_of(database, site)
