"""docs/pictures/ out of a record: its HTML report at the width of a desk and of a phone, in Debian's Chromium."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from hopcost.record import reader as records
from hopcost.report import Format, render
from hopcost.report.record_report import record_report
from hopcost.statistics.summary import summary

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SIZES = {"report-desk.png": (1280, 1000), "report-phone.png": (390, 1000)}


def main() -> None:
    """Take the pictures anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", help="a record's directory, its name in records/, or `latest`")
    parser.add_argument("--at", default="", help="the id of the element that is to be at the top")
    parser.add_argument("--to", type=Path, default=PICTURES, help="the folder of the pictures")
    wanted = parser.parse_args()
    record = records.read_record(records.find_record(wanted.record))
    wanted.to.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "report.html"
        path.write_text(render(record_report(record, summary.summarise(record)), Format.HTML), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (width, height) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
            page.goto(f"{path.as_uri()}#{wanted.at}" if wanted.at else path.as_uri())
            page.screenshot(path=wanted.to / name)
        browser.close()


if __name__ == "__main__":
    main()
