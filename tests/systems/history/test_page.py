"""`hopcost serve` over both databases in a browser, and as a user of PostgreSQL who may only read."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from histories.served import addresses_of, fill, served
from playwright.sync_api import Browser
from processes.browser import DESK, Seen, chromium
from sqlalchemy import text

from hopcost.history.database.engine import make_engine, writing
from hopcost.history.database.place import read_place

FAILED = "Failed to load resource"  # what Chromium says of a page that is none
READER = "hopcost_reader"


@pytest.fixture(scope="module", name="browser")
def launch() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_each_kind_of_page_is_shown(place: str, tmp_path: Path, browser: Browser) -> None:
    fill(place, tmp_path)
    with served(place, tmp_path) as site:
        addresses = addresses_of(place, site)
        headings = {}
        for name, address in addresses.items():
            seen = Seen(browser, address, **DESK)
            headings[name] = seen.page.locator("h1").inner_text()
            assert [line for line in seen.said if not line.startswith(FAILED)] == [], name
            seen.page.close()
        assert headings["list"] == "Records" and headings["histories"] == "Histories"
        assert headings["record"] == headings["full"] == "A made-up suite"
        assert headings["history"] == "made-up/cost/behind"
        assert headings["compared"] == "Two records of made-up"
        seen = Seen(browser, addresses["history"], **DESK)
        assert seen.number("svg.history circle") == 24 and seen.number(".changes > li") == 1
        seen.page.close()


def test_a_user_who_may_only_read_is_enough(postgresql: str, tmp_path: Path) -> None:
    fill(postgresql, tmp_path, records=4)
    engine = make_engine(read_place(postgresql))
    with writing(engine) as connection:
        connection.execute(text(f"CREATE ROLE {READER} LOGIN"))
        connection.execute(text(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}"))
    engine.dispose()
    reader = postgresql.replace("shop@", f"{READER}@", 1)
    with served(reader, tmp_path) as site:
        for name, address in addresses_of(reader, site).items():
            if name not in ("refused", "nowhere"):
                with urllib.request.urlopen(address) as answer:
                    assert answer.status == 200, name
