"""Style and scripts as files of the page. Their names have a digest, so that browsers keep them for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hopcost.page.templating import FOLDER
from hopcost.report.formats.html import page as html

STYLE, LIBRARY = "style.css", "vega.js"
TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
PREFIX = "/static/"


@dataclass(frozen=True)
class Asset:
    """A file that the page serves."""

    name: str
    content: bytes
    media_type: str


class Assets:
    """All files, made once: the report's style with the page's own, its scripts, and the library of its charts."""

    def __init__(self) -> None:
        texts = {
            STYLE: (html.FOLDER / STYLE).read_text(encoding="utf-8")
            + (FOLDER / "page.css").read_text(encoding="utf-8"),
            LIBRARY: html.library(),
        }
        texts |= {name: (html.FOLDER / name).read_text(encoding="utf-8") for name in html.SCRIPTS}
        self._by_word = {word: _asset(word, text) for word, text in texts.items()}
        self.by_name: Mapping[str, Asset] = {asset.name: asset for asset in self._by_word.values()}

    def address(self, word: str) -> str:
        """Of the file that templates call so."""
        return PREFIX + self._by_word[word].name


def _asset(word: str, text: str) -> Asset:
    content = text.encode()
    path = Path(word)
    return Asset(f"{path.stem}-{hashlib.sha256(content).hexdigest()[:16]}{path.suffix}", content, TYPES[path.suffix])
