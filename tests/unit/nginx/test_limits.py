"""Everything that limits the load is found and switched off, wherever it stands."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import configuration_of, own

from hopcost.nginx.limits import find_limits, limits_off
from hopcost.nginx.tree import walk


def test_the_limits_of_our_own_configuration_go_and_their_zones_stay() -> None:
    configuration = own("limited")
    limits = find_limits(configuration)
    assert [(limit.words, str(limit.place)) for limit in limits] == [
        ("limit_req zone=each burst=5 nodelay: limits requests in a time", "nginx.conf:12"),
        ("limit_conn open 4: limits connections at a time", "nginx.conf:18"),
        ("limit_req zone=each: limits requests in a time", "nginx.conf:23"),
        ("limit_rate 10k: limits bytes in a second", "nginx.conf:24"),
    ]
    changed = configuration.with_edits(limits_off(configuration))
    assert find_limits(changed) == []
    assert [found.name for found, _ in walk(changed) if found.name.startswith("limit")] == [
        "limit_req_zone",
        "limit_conn_zone",
    ]
    assert "\n\n\n" not in changed.files[changed.main]


def test_limits_by_variable_and_of_upstreams(tmp_path: Path) -> None:
    text = (
        "upstream a { server b:1 max_conns=10 weight=2; }\n"
        "server { set $limit_rate 1k; limit_rate 0; location / { proxy_limit_rate 5k; proxy_pass http://a; } }"
    )
    configuration = configuration_of(tmp_path, text)
    assert len(find_limits(configuration)) == 3
    changed = configuration.with_edits(limits_off(configuration))
    assert find_limits(changed) == []
    assert "server b:1 weight=2;" in changed.files[changed.main]


def test_a_limit_in_a_file_that_is_included_twice_is_one(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path, "server { include l; }\nserver { listen 81; include l; }", l="limit_req zone=a;"
    )
    assert len(find_limits(configuration)) == 1
    assert find_limits(configuration.with_edits(limits_off(configuration))) == []
