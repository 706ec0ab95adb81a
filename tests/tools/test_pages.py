"""All Markdown of the project: its links lead somewhere, its lines are short, its sentences are plain."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from places import ROOT

from tools.markdown import WIDTH

DOCS = ROOT / "docs"
FENCED = re.compile(r"(?ms)^ *(```|~~~).*?^ *\1 *$")
CODE = re.compile(r"(?m)`[^`\n]*`|^    .*$")
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)|(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"(?m)^#{1,6} +(.*?)\s*$")
ANCHOR = re.compile(r"id=\"([^\"]+)\"")

# Sentences that had to be decoded (without marks and apostrophes), with what is said in their place.
UNREADABLE = {
    "proves that they answer alike": "checks that they all send the same answer",
    "the command that would bring it": "tells you how to install the rest",
    "leaves their arms out": "the stacks that need them are skipped",
    "how long ±1 % takes": "how long a run needs for ±1 %",
    "put to the test by your records": "which of the articles' claims your records confirm",
    "What became of the articles claims": "Do the articles' claims hold?",
    "Whom do the defaults favour": "Which stacks do the defaults favour?",
    "the generator has another: what does the hop cost": "load from another: what does nginx cost?",
    "nothing finer is told apart": "smaller differences cannot be detected",
    "real, but wholly inside that": "real, but smaller than the margin",
    "verdicts are read off intervals": "all ranges hold at once with 95 % confidence",
    "at the widest; stopped": "widest range ±10.8 %; stopped after 6 of 6 runs",
    "the arm minus the same without that hop": "stack with nginx minus stack without it",
    "it is not what a user waits for": "users see the response time instead",
    "those that its client did": "closed by its client",
    r"busiest of \S+ workers of \S+ did": "one of nginx's 2 workers did all the work",
    "throughput holds the generator's cost": "throughput includes the load generator's CPU",
    "suspect: other programs took": "disturbed: other programs used",
    "what follows is what it had done": "interrupted: results so far",
    "slower or dearer than before by more than": "could not decide whether it got slower or needs more CPU",
    "which tells what this machine makes of no difference": "so this shows the machine's noise",
    "slower or dearer is let through": "largest slowdown that still passes",
    "changed the baseline alike is it the stronger": "it cancels only if it hit the baseline too",
    "in place of a file that is there": "replaces it",
    "is not to be had; nothing of hopcost asks": "not needed",
}


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


@pytest.mark.parametrize("page", documents(), ids=name)
def test_no_line_is_longer_than_100_characters(page: Path) -> None:
    """But in tables, links and what stands in code."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if len(line) > WIDTH and line[0] not in "|#<" and " " in line.strip()]
    assert [line for line in lines if not line.startswith("    ")] == []


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 90 and max(map(len, lines)) <= 100
    text = "\n".join(lines[:20])
    assert "make demo" in text and "make test" in text, "the two commands stay on top"


def test_the_short_page_of_the_method_is_short() -> None:
    assert len((DOCS / "explain" / "method.md").read_text(encoding="utf-8").split()) <= 1500


@pytest.mark.parametrize("sentence", UNREADABLE)
def test_no_page_has_a_sentence_that_must_be_decoded(sentence: str) -> None:
    assert [name(path) for path in documents() if re.search(sentence, squeezed(path))] == []


@pytest.mark.parametrize("sentence", UNREADABLE)
def test_no_source_prints_a_sentence_that_must_be_decoded(sentence: str) -> None:
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".toml")]
    assert [name(path) for path in sources if re.search(sentence, squeezed(path))] == []


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


@cache
def squeezed(path: Path) -> str:
    """A file on one line, without the marks of strings, comments and Markdown, however it was broken."""
    return " ".join(re.sub(r"\bf\"|[\\\"'’#*`]", "", path.read_text(encoding="utf-8")).split())
