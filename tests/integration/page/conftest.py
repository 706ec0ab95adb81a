"""A page over a history with everything, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from histories.served import addresses_of, fill, served


@pytest.fixture(scope="session", name="addresses")
def serve_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Of every kind of page, by its name."""
    folder = tmp_path_factory.mktemp("served")
    database = str(folder / "history.sqlite")
    fill(database, folder)
    with served(database, folder) as site:
        yield addresses_of(database, site)
