"""Lines of a width, and letters of every terminal."""

from __future__ import annotations

from hopcost.report.formats.text.wrapping import to_ascii, wrap


def test_a_figure_stays_with_its_unit_and_its_range() -> None:
    text = "It adds 12 µs of CPU and leaves 46 % (44–47) of what there was before it came"
    for width in range(20, 60):
        lines = wrap(text, width)
        assert max(map(len, lines)) <= width
        assert any("12 µs" in line for line in lines) and any("46 % (44–47)" in line for line in lines)


def test_no_text_is_an_empty_line() -> None:
    assert wrap("", 80) == [""]


def test_ascii_has_a_likeness_for_all_signs_of_a_report() -> None:
    assert to_ascii("≥1 −2 3–4 5 µs · ±6 % × 7 ÷ 8 …") == ">=1 -2 3-4 5 us - +-6 % x 7 / 8 ..."
