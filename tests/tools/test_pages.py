"""All Markdown of the project: its links lead somewhere, its lines are short, its sentences are plain."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from places import ROOT

DOCS = ROOT / "docs"
FENCED = re.compile(r"(?ms)^ *(```|~~~).*?^ *\1 *$")
CODE = re.compile(r"(?m)`[^`\n]*`|^    .*$")
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)|(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"(?m)^#{1,6} +(.*?)\s*$")
ANCHOR = re.compile(r"id=\"([^\"]+)\"")


@cache
def pages() -> list[Path]:
    """Every Markdown file that git knows, or is about to."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    ).stdout
    return [path for line in listed.splitlines() if (path := ROOT / line).is_file() and "golden" not in path.parts]


def documents() -> list[Path]:
    """The pages for readers."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    dead = []
    for target in links(page):
        path, _, anchor = unquote(target).partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists():
            dead.append(f"{target}: no such file")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place):
            dead.append(f"{target}: no such heading")
    assert dead == []


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 90 and max(map(len, lines)) <= 100
    text = "\n".join(lines[:20])
    assert "make demo" in text and "make test" in text, "the two commands stay on top"


def test_the_short_page_of_the_method_is_short() -> None:
    assert len((DOCS / "explain" / "method.md").read_text(encoding="utf-8").split()) <= 1500


@pytest.mark.parametrize("page", documents(), ids=name)
def test_every_page_is_on_the_first_one(page: Path) -> None:
    """Readers find each page from docs/index.md, but for the old forms of pages and the README itself."""
    if page in (ROOT / "README.md", DOCS / "index.md") or page.parent == DOCS / "explain" / "truth":
        return
    assert str(page.relative_to(DOCS)) in links(DOCS / "index.md")


def test_what_headings_are_called_in_links() -> None:
    assert slug("`--time` and *more*: what's [next](a.md)?") == "--time-and-more-whats-next"


def links(page: Path) -> list[str]:
    """The targets of a page's links to files of the project."""
    text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
    targets = [first or second for first, second in LINK.findall(text)]
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


@cache
def anchors(page: Path) -> set[str]:
    """What may stand after `#` in a link to a page, as GitHub has it: a second heading of one name gets `-1`."""
    text = page.read_text(encoding="utf-8")
    known: set[str] = set(ANCHOR.findall(text))
    for heading in HEADING.findall(FENCED.sub("", text)):
        base, number = slug(heading), 0
        while (anchor := f"{base}-{number}" if number else base) in known:
            number += 1
        known.add(anchor)
    return known


def slug(heading: str) -> str:
    """A heading's name in links: lower case, without punctuation, hyphens for spaces."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", words.replace("*", "").strip().lower()).replace(" ", "-")
