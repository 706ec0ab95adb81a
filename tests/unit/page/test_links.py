"""Addresses carry any name, and lead back to what they were made of."""

from __future__ import annotations

import urllib.parse

from hypothesis import given
from hypothesis import strategies as st

from hopcost.history.points import Search
from hopcost.page import links
from hopcost.page.asked import read_number, read_query, read_search, read_word
from hopcost.page.links import AskedTrend

NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=30)


@given(
    st.builds(
        Search,
        words=st.none() | NAMES,
        suite=st.none() | NAMES,
        arm=st.none() | NAMES,
        labels=st.dictionaries(NAMES.filter(lambda name: "=" not in name), NAMES, max_size=3),
        machine=st.none() | NAMES,
    ),
    st.integers(1, 1000),
)
def test_a_search_is_read_again_out_of_its_address(search: Search, page: int) -> None:
    address = urllib.parse.urlsplit(links.records(search, page))
    query = read_query(address.query.encode("ascii"))
    assert (read_search(query), read_number(query, "page", 1)) == (search, page)
    assert (address.scheme, address.netloc, address.path) == ("", "", "/")


@given(NAMES, NAMES, NAMES)
def test_a_history_of_any_name_has_an_address(suite: str, experiment: str, arm: str) -> None:
    asked = AskedTrend(suite, experiment, arm, figure="cpu_per_request@0.25", since="2026-01-02", older=120)
    for address, path in ((links.trend(asked), "/history"), (links.trend_data(asked), "/history.csv")):
        parts = urllib.parse.urlsplit(address)
        query = read_query(parts.query.encode("ascii"))
        assert parts.path == path and parts.netloc == ""
        assert [read_word(query, name) for name in ("suite", "experiment", "arm", "figure", "since", "older")] == [
            suite, experiment, arm, "cpu_per_request@0.25", "2026-01-02", "120",
        ]  # fmt: skip


def test_an_address_has_nothing_that_is_not_asked_for() -> None:
    assert links.records(Search()) == "/"
    assert links.compare("aa", "bb") == "/compare?a=aa&b=bb"
    assert links.compare("aa", "bb", anyway=True) == "/compare?a=aa&b=bb&anyway=yes"
    assert links.trend(AskedTrend("s", "e", "a")) == "/history?suite=s&experiment=e&arm=a"


def test_narrowing_adds_to_a_search() -> None:
    search = links.with_machine(links.with_label(Search(suite="s", labels={"a": "1"}), "b", "2"), "ff")
    assert search == Search(suite="s", labels={"a": "1", "b": "2"}, machine="ff")
    asked = AskedTrend("s", "e", "a", "throughput", "key", "2026-01-01", (("a", "1"),), 5)
    assert links.plain(asked) == AskedTrend("s", "e", "a", "throughput", "key")
