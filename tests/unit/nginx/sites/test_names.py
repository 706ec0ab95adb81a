"""Hosts are found that nginx would give to the server, by its own order of names."""

from __future__ import annotations

import pytest

from hopcost.nginx.sites.names import best_match, host_for, match_rank

PATTERNS = [
    r"~^(?<user>.+)\.example\.com$",
    r"~^(www\.)?a\.b$",
    r"~^[^.]+\.a\.b$",
    r"~^\w+-\d+\.test$",
    r"~^(?:api|app)\.a\.b$",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_host_of_a_pattern_matches_it(pattern: str) -> None:
    host = host_for(pattern)
    assert host is None or match_rank(pattern, host)


def test_most_patterns_have_a_host() -> None:
    assert [host_for(pattern) for pattern in PATTERNS] == [
        "www.example.com",
        "www.a.b",
        "www.a.b",
        None,
        "api.a.b",
    ]


@pytest.mark.parametrize(
    ("host", "index"),
    [("a.b", 0), ("z.a.b", 1), ("x.a.b", 2), ("y.x.a.b", 2), ("www.z", 3), ("q9.test", 4), ("other", None), ("A.B", 0)],
)
def test_names_go_before_wildcards_and_these_before_patterns(host: str, index: int | None) -> None:
    names = [["a.b", "_"], ["*.a.b"], [".x.a.b"], ["www.*"], ["~^q\\d", "~(broken"]]
    assert best_match(names, host) == index
