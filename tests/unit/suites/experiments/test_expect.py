"""What every answer must be: read from a suite, and what cannot be meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts.suite_texts import write

from hopcost.errors import UsageError
from hopcost.suites.experiments.expect import Compared, Expect, blank
from hopcost.suites.read import read_suite

OFFSETS = st.integers(min_value=0, max_value=40)


def expect_of(folder: Path, text: str) -> Expect:
    """That of the good suite's first experiment, with this table as its `expect`."""
    path = write(folder, "timeout_s = 3 }", f"timeout_s = 3, expect = {text} }}")
    return read_suite(path).experiments[0].workload.expect


def test_every_byte_is_compared_unless_the_suite_says_otherwise(tmp_path: Path) -> None:
    assert read_suite(write(tmp_path)).experiments[0].workload.expect == Expect(Compared.BODY, None, [])


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ('{ compared = "length" }', Expect(Compared.LENGTH)),
        ('{ compared = "status", status = 404 }', Expect(Compared.STATUS, 404)),
        ('{ compared = "masked", masked = [[3, 9], [0, 1]] }', Expect(Compared.MASKED, masked=[(3, 9), (0, 1)])),
    ],
)
def test_less_is_compared_where_the_suite_says_so(tmp_path: Path, text: str, expect: Expect) -> None:
    assert expect_of(tmp_path, text) == expect


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{ compared = "masked" }', "masked: missing"),
        ("{ masked = [[0, 1]] }", 'masked: not with compared = "body"'),
        ('{ compared = "length", masked = [[0, 1]] }', 'masked: not with compared = "length"'),
        ('{ compared = "masked", masked = [[4, 4]] }', "masked: [4, 4] is no range"),
        ('{ compared = "masked", masked = [[-1, 4]] }', "Expected `int` >= 0"),
        ('{ compared = "masked", masked = [[4]] }', "length 2"),
        ('{ compared = "size" }', "Invalid enum value 'size'"),
        ("{ status = 99 }", "Expected `int` >= 200"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        expect_of(tmp_path, text)
    assert "experiments[0]" in caught.value.message and "workload.expect" in caught.value.message
    assert message in caught.value.message


@given(st.binary(max_size=40), st.lists(st.tuples(OFFSETS, OFFSETS), max_size=4))
def test_a_blanked_body_keeps_its_length_and_every_byte_that_is_not_masked(
    body: bytes, ranges: list[tuple[int, int]]
) -> None:
    masked = [(min(pair), max(pair)) for pair in ranges]
    blanked = blank(body, masked)
    under = {place for from_, to in masked for place in range(from_, to)}
    expected = bytes(ord("*") if place in under else byte for place, byte in enumerate(body))
    assert blanked == expected
