"""A wide table becomes several."""

from __future__ import annotations

from hopcost.report.formats.text.columns import columns


def test_a_table_that_does_not_fit_is_split_and_keeps_its_words() -> None:
    header = ["stack", "hop", *(f"figure {number}" for number in range(8))]
    rows = [["nginx-http-tcp", "nginx", *(f"{number},000.0" for number in range(8))]]
    parts = columns(header, rows, 2, 40)
    assert len(parts) > 2
    for lines in parts:
        assert max(map(len, lines)) <= 40
        assert lines[-1].startswith("nginx-http-tcp  nginx  ")
    assert [word for lines in parts for word in lines[-1].split()[2:]] == rows[0][2:]


def test_headings_are_no_wider_than_they_must_be() -> None:
    (lines,) = columns(["stack", "shared out MiB"], [["go", "12.5"]], 1, 80)
    assert lines[:3] == ["       shared", "          out", "stack     MiB"]
