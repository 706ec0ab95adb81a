"""Options whose value may be left out."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hopcost.cli.shared.verbs.optional_value import fill_in

PARAMS = [
    SimpleNamespace(opts=["--html"], metavar="[FILE]"),
    SimpleNamespace(opts=["--details"], metavar="[=PART]"),
    SimpleNamespace(opts=["--output", "-o"], metavar="FILE"),
    SimpleNamespace(opts=["record"], metavar="RECORD"),
]


@pytest.mark.parametrize(
    ("words", "filled"),
    [
        (["latest", "--html"], ["latest", "--html="]),
        (["--html", "latest"], ["--html=", "latest"]),
        (["latest", "--html", "a/b.html"], ["latest", "--html=a/b.html"]),
        (["latest", "--html=page"], ["latest", "--html=page"]),
        (["--details", "latest"], ["--details=", "latest"]),
        (["--details=memory", "latest"], ["--details=memory", "latest"]),
        (["-o", "x.html", "latest"], ["-o", "x.html", "latest"]),
        (["--", "--html", "a.html"], ["--", "--html", "a.html"]),
        ([], []),
    ],
)
def test_a_value_that_is_left_out_is_empty(words: list[str], filled: list[str]) -> None:
    assert fill_in(words, PARAMS) == filled
