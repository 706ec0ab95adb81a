"""Edits by offset: what is not named stays, and two edits of one place are refused."""

from __future__ import annotations

import pytest

from hopcost.nginx.edits import Edit, edited


def test_edits_are_made_at_their_places_whatever_their_order() -> None:
    text = "keepalive 2;\naccess_log on;\n"
    changes = [Edit("a", 13, 13, "gzip on;\n"), Edit("a", 10, 11, "64")]
    assert edited(text, changes) == "keepalive 64;\ngzip on;\naccess_log on;\n"


def test_without_edits_the_text_stays() -> None:
    assert edited("a\r\nb\t", []) == "a\r\nb\t"


def test_edits_of_the_same_place_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap at character 2"):
        edited("abcdef", [Edit("a", 0, 3, ""), Edit("a", 2, 4, "x")])
