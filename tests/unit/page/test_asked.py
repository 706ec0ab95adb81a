"""Addresses are read strictly: what no browser would send is refused in words."""

from __future__ import annotations

import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.errors import UsageError
from hopcost.history.points import Search
from hopcost.page.asked import (
    LONGEST,
    MOST_FIELDS,
    BadAddress,
    read_day,
    read_digest,
    read_labels,
    read_number,
    read_query,
    read_search,
    read_word,
)

PRINTED = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40)


@given(st.lists(st.tuples(PRINTED.filter(bool), PRINTED), max_size=10))
def test_what_a_form_sends_is_read_and_what_is_empty_is_left_out(pairs: list[tuple[str, str]]) -> None:
    query = read_query(urllib.parse.urlencode(pairs).encode())
    expected: dict[str, list[str]] = {}
    for name, value in pairs:
        if value.strip():
            expected.setdefault(name, []).append(value.strip())
    assert query == expected


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    try:
        query = read_query(text)
    except BadAddress as refused:
        assert refused.hint
    else:
        assert all(value == value.strip() != "" for values in query.values() for value in values)


@pytest.mark.parametrize(
    "text",
    [
        b"words=%00",
        b"words=a%0Ab",
        b"words=%1B[2J",
        b"words=%FF",
        b"words=%ED%A0%80",
        "words=é".encode(),
        b"words=" + b"a" * (LONGEST + 1),
        b"&".join([b"a=1"] * (MOST_FIELDS + 1)),
    ],
)
def test_odd_queries_are_refused(text: bytes) -> None:
    with pytest.raises(BadAddress) as refused:
        read_query(text)
    assert isinstance(refused.value, UsageError) and refused.value.hint


def test_the_last_of_several_values_counts() -> None:
    assert read_word(read_query(b"suite=a&suite=b"), "suite") == "b"
    assert read_word({}, "suite") is None


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", "99999999", "１", "1e3"])
def test_numbers_are_whole_and_in_range(text: str) -> None:
    with pytest.raises(BadAddress, match="page: expected a number from 1 to 1,000,000, got"):
        read_number({"page": [text]}, "page", 1)


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "2026-1-1", "0000-00-00"])
def test_days_are_days(text: str) -> None:
    with pytest.raises(BadAddress, match="since: expected a day"):
        read_day({"since": [text]}, "since")


@pytest.mark.parametrize("text", ["", "abc", "ABCDEF01", "../../etc/passwd", "a" * 65, "0123456%", "01234567\n"])
def test_a_digest_is_hexadecimal(text: str) -> None:
    with pytest.raises(BadAddress, match="expected a record's digest"):
        read_digest(text, "record")


@pytest.mark.parametrize("text", ["main", "=main", " =main"])
def test_labels_have_a_name(text: str) -> None:
    with pytest.raises(BadAddress, match="expected NAME=VALUE"):
        read_labels({"label": [text]})


def test_a_search_is_all_of_its_parts() -> None:
    query = read_query(b"words=a+b&suite=s&arm=x&label=branch%3Dmain&label=note%3Da%3Db&machine=ab&other=1")
    labels = {"branch": "main", "note": "a=b"}
    assert read_search(query) == Search(words="a b", suite="s", arm="x", labels=labels, machine="ab")
    assert read_search({}) == Search()
