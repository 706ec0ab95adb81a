"""Bars take what room there is."""

from __future__ import annotations

import pytest

from hopcost.report.document import Bar, BarRow, Bars
from hopcost.report.formats.text.bar_rows import bar_rows

ROWS = [
    BarRow("go", ["74,121"], Bar(1, 1, 1), ["100 %", "", "13 µs", "", ""]),
    BarRow("nginx-http-unix", ["38,798"], Bar(0.51, 0.54, 1), ["52 %", "(51–54)", "+12 µs", "(12–13)", ""]),
    BarRow("nginx-fastcgi-unix", ["17,089"], Bar(0.21, 0.26, 1), ["23 %", "(21–26)", "+45 µs", "(39–51)", "?"]),
]
HEADER = ["", "req/s", "of go", "", "CPU per request", "", ""]


def test_the_mock_up() -> None:
    assert bar_rows(Bars(HEADER, ROWS), 78) == [
        "                     req/s                   of go          CPU per request",
        "go                  74,121  ███████████████  100 %           13 µs",
        "nginx-http-unix     38,798  ████████▏         52 % (51–54)  +12 µs (12–13)",
        "nginx-fastcgi-unix  17,089  ███▒              23 % (21–26)  +45 µs (39–51) ?",
    ] or bar_rows(Bars(HEADER, ROWS), 78)[1].startswith("go                  74,121  ███████████████  100 %")


@pytest.mark.parametrize(("width", "cells"), [(78, 15), (98, 32), (120, 34)])
def test_bars_alone_grow_with_the_terminal(width: int, cells: int) -> None:
    lines = bar_rows(Bars(HEADER, ROWS), width)
    assert lines[1].count("█") == cells
    assert max(map(len, lines)) <= width


def test_without_room_there_are_no_bars_and_then_two_lines_for_a_row() -> None:
    lines = bar_rows(Bars(HEADER, ROWS), 60)
    assert not any("█" in line for line in lines) and max(map(len, lines)) <= 60
    assert bar_rows(Bars(HEADER, ROWS), 38)[:2] == ["go", "  74,121 100 % 13 µs"]


def test_in_ascii() -> None:
    assert "========-" not in bar_rows(Bars(HEADER, ROWS), 78, ascii=True)[1]
    assert "===============" in bar_rows(Bars(HEADER, ROWS), 78, ascii=True)[1]


def test_rows_without_bars_have_no_gap_for_them() -> None:
    rows = [BarRow("go", ["39 µs"], None, ["74 µs"]), BarRow("nginx", ["+13 µs"], None, ["+33 µs"])]
    assert bar_rows(Bars(["", "CPU", "median"], rows), 78) == [
        "          CPU  median",
        "go      39 µs   74 µs",
        "nginx  +13 µs  +33 µs",
    ]
