"""Style and scripts as files."""

from __future__ import annotations

import pytest

from hopcost.page.assets import LIBRARY, STYLE, Assets
from hopcost.report.formats.html import page as html


@pytest.fixture(autouse=True)
def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "library", lambda: "/* Vega */")


def test_names_change_with_the_contents(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Assets()
    assert before.address(LIBRARY) == Assets().address(LIBRARY)
    monkeypatch.setattr(html, "library", lambda: "/* another Vega */")
    after = Assets()
    assert before.address(LIBRARY) != after.address(LIBRARY)
    assert before.address(STYLE) == after.address(STYLE)


def test_each_file_is_found_by_its_name() -> None:
    assets = Assets()
    words = [STYLE, LIBRARY, *html.SCRIPTS]
    found = [assets.by_name[assets.address(word).removeprefix("/static/")] for word in words]
    assert [asset.media_type.partition(";")[0] for asset in found] == ["text/css", *["text/javascript"] * 3]
    assert len(assets.by_name) == len(words)


def test_the_style_is_the_reports_with_the_pages_own_behind_it() -> None:
    assets = Assets()
    style = assets.by_name[assets.address(STYLE).removeprefix("/static/")].content.decode()
    assert style.startswith((html.FOLDER / STYLE).read_text(encoding="utf-8"))
    assert ".kept-at" in style
    assert "url(" not in style and "@import" not in style
