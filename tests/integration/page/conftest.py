"""A browser, and a page over a history with everything, each started once."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator

import pytest
from histories.served import filled, served
from playwright.sync_api import Browser
from processes.browser import chromium
from samples.pages import HOSTILE

from hopcost.history.history import History
from hopcost.history.points import Search


@pytest.fixture(scope="session", name="browser")
def launch() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session", name="addresses")
def serve_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Of every kind of page, by its name."""
    database = filled(tmp_path_factory.mktemp("served"))
    with History.open(str(database)) as history:
        newest, *_, oldest = history.records(Search(labels={"branch": "main"}), 100)
        (full,) = history.records(Search(labels={"branch": "full"}))
        (lost,) = history.records(Search(suite="lost"))
        (hostile,) = history.records(Search(suite=HOSTILE))
    arm = "/history?suite=made-up&experiment=cost&arm=behind"
    with served(database) as site:
        yield {
            "list": f"{site}/",
            "search": f"{site}/?words=abacus&label=branch%3Dmain",
            "record": f"{site}/records/{newest.digest}",
            "full": f"{site}/records/{full.digest}",
            "lost": f"{site}/records/{lost.digest}",
            "hostile": f"{site}/records/{hostile.digest}",
            "compared": f"{site}/compare?a={oldest.digest}&b={newest.digest}",
            "refused": f"{site}/compare?a={full.digest}&b={lost.digest}",
            "histories": f"{site}/history",
            "history": f"{site}{arm}&label=branch%3Dmain",
            "hostile history": f"{site}/history?{urllib.parse.urlencode({'suite': HOSTILE})}&experiment=cost&arm=behind",
            "nowhere": f"{site}/nowhere",
        }
