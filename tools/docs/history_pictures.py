"""docs/pictures/history-….png: pages of `hopcost serve` over made-up days of the records in docs/samples."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from hopcost.history.history import History
from tools.bench.history_page import addresses, fill, served
from tools.docs.pictures import PICTURES

RECORDS, LEVEL_RECORDS = 240, 120
PAGES = {  # picture → page, width, height
    "history-list.png": ("the list", 1280, 800),
    "history-desk.png": ("a history", 1280, 1000),
    "history-phone.png": ("a history", 390, 1000),
}


def main() -> None:
    """Take the pictures anew."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database = Path(folder) / "history.sqlite"
        on_disk = fill(database, RECORDS, Path(folder) / "nginx-go", LEVEL_RECORDS)
        with History.open(str(database)) as history:
            pages = addresses(history, on_disk)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with served(database) as port:
            for name, (which, width, height) in PAGES.items():
                page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
                page.goto(f"http://127.0.0.1:{port}{pages[which]}")
                page.screenshot(path=PICTURES / name)
        browser.close()


if __name__ == "__main__":
    main()
