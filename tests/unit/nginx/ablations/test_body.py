"""Compression: off everywhere, level 1, and in plain words why this load does not show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from texts.nginx_texts import ablations_of, changed

PROXY = "location / { proxy_pass http://a:1; }"
TEXT = f"gzip on;\ngzip_comp_level 6;\ngzip_min_length 1k;\nserver {{ gzip on; {PROXY} }}"


def test_gzip_is_off_at_every_level_and_at_level_1(tmp_path: Path) -> None:
    assert changed(tmp_path, TEXT, "gzip-off").count("gzip off;") == 2
    assert "gzip_comp_level 1;" in changed(tmp_path, TEXT, "gzip-level")


@pytest.mark.parametrize(
    ("known", "word"),
    [
        ({"encoding": "gzip"}, None),
        ({"encoding": "br"}, "the app sends br itself"),
        ({"accepts_gzip": False}, "Accept-Encoding: gzip"),
        ({"content_type": "image/png"}, "gzip_types does not name image/png"),
        ({"body_bytes": 300}, "300 bytes are below gzip_min_length 1024"),
        ({"status": 500}, "no answer with status 500"),
        ({}, "was not compressed"),
    ],
)
def test_why_it_is_not_seen(tmp_path: Path, known: dict[str, Any], word: str | None) -> None:
    unseen = ablations_of(tmp_path, TEXT, **known)["gzip-off"].unseen
    assert unseen is None if word is None else word in (unseen or "")


def test_types_may_be_all(tmp_path: Path) -> None:
    unseen = ablations_of(tmp_path, "gzip_types *;\n" + TEXT, content_type="image/png")["gzip-off"].unseen
    assert "was not compressed" in (unseen or "")


def test_gzip_of_another_location_is_told(tmp_path: Path) -> None:
    text = f"server {{ {PROXY} location /a {{ gzip on; }} }}"
    assert "on for other locations" in (ablations_of(tmp_path, text)["gzip-off"].unseen or "")


def test_filters_ready_files_and_brotli(tmp_path: Path) -> None:
    text = f"server {{ sub_filter a b; ssi on; charset utf-8; gzip_static on; brotli on; {PROXY} }}"
    names = ablations_of(tmp_path, text)
    assert {"no-sub-filter", "no-ssi", "no-charset", "static-compressed-off", "brotli-off", "brotli-level"} <= set(
        names
    )
    assert "sub_filter" not in changed(tmp_path, text, "no-sub-filter")
    assert "brotli_comp_level 1;" in changed(tmp_path, text, "brotli-level")
    assert "--path of a file" in (names["static-compressed-off"].unseen or "")
