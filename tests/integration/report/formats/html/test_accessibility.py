"""The HTML report for those who cannot see it, or not well: axe-core's rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from processes.browser import DESK, PHONE, Seen


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", ["everything", "loaded", "swept"])
def test_axe_finds_nothing(
    browser: Browser, pages: dict[str, Path], name: str, size: dict[str, Any], colours: str
) -> None:
    seen = Seen(browser, pages[name], **size, color_scheme=colours)
    for script in (
        "",
        "for (const part of document.querySelectorAll('details')) part.open = true; charts.drawVisible()",
    ):
        seen.page.evaluate(script)
        violations = Axe().run(seen.page).response["violations"]
        assert [
            f"{violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:300]}" for violation in violations
        ] == []
