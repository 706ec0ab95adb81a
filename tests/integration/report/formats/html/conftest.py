"""Pages that are written once."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.pages import hostile, loaded, nine, rendered, swept
from samples.reports import everything


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files by the name of what is in them."""
    folder = tmp_path_factory.mktemp("pages")
    pages = {}
    for make in (everything, loaded, hostile, swept, nine):
        pages[make.__name__] = folder / f"{make.__name__}.html"
        pages[make.__name__].write_text(rendered(make()), encoding="utf-8")
    return pages
