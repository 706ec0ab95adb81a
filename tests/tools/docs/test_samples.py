"""What README and docs show is what the present version prints of the records in docs/samples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hopcost.plan.method import METHOD
from hopcost.record import reader
from tools.docs import samples, terminal

PAGES = [page for page in samples.pages() if samples.REGION.search(page.read_text(encoding="utf-8"))]
RECORDS = sorted(samples.SAMPLES.iterdir())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_samples_are_of_this_version(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert samples.rewritten(text) == text, f"{page.name}: mend it: .venv/bin/python -m tools.docs.samples"


def test_the_picture_is_of_this_version() -> None:
    assert samples.PICTURE.read_text(encoding="utf-8") == samples.picture(), "python -m tools.docs.samples"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_the_records_are_of_the_present_method(record: Path) -> None:
    assert reader.read_record(record).run.method == METHOD.number


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_samples_fit_80_columns(record: Path) -> None:
    shown = samples.printed(f"hopcost report {record.relative_to(samples.ROOT)}")
    assert [line for line in shown.splitlines() if len(line) > terminal.COLUMNS] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_every_record_is_shown_somewhere(record: Path) -> None:
    assert [page for page in PAGES if str(record.relative_to(samples.ROOT)) in page.read_text(encoding="utf-8")]


def test_what_readme_says_of_debians_nginx_is_what_the_sample_says() -> None:
    assert "it costs five times as much CPU" in " ".join((samples.ROOT / "README.md").read_text("utf-8").split())
    answer = samples.printed("hopcost report docs/samples/go")
    plain, kept = (re.search(rf"^  {stack} .* \+(\d+) µs", answer, re.MULTILINE) for stack in ("nginx", "keepalive"))
    assert plain is not None and kept is not None
    assert round(int(plain[1]) / int(kept[1])) == 5


def test_the_picture_asks_the_network_for_nothing() -> None:
    drawn = terminal.draw("\x1b[1mbold\x1b[0m <&>\n████▒▒ 46 % (44–47)", "hopcost report latest")
    assert re.findall(r"https?://[^\s\"]+", drawn.replace("http://www.w3.org/2000/svg", "")) == [
        "https://www.textualize.io"
    ], "rich's name in a comment"
    assert "url(" not in drawn.replace("url(#", "") and "@font-face" not in drawn
    assert "&lt;&amp;&gt;" in drawn and "hopcost&#160;report&#160;latest" in drawn
