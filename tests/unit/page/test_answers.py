"""What a view gives back."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from hopcost.page.answers import Data
from hopcost.report import Format


@given(st.text(max_size=300))
@example("../../etc/passwd")
@example('"; filename="x.exe')
@example("a\r\nSet-Cookie: b")
def test_any_title_makes_a_file_name_that_is_safe_in_a_header(title: str) -> None:
    name = Data("", Format.CSV, title).file_name
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.csv", name)
