"""Where requests go: literally, by an `upstream` block, by a variable, or as the request says."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, own

from hopcost.nginx.upstreams import find_upstreams

BLOCK = "upstream app { server a.b:81 weight=2; server 10.0.0.2 down; server unix:/run/a.sock backup; keepalive 2; }"


def found(folder: Path, text: str) -> list[tuple[object, ...]]:
    upstreams = find_upstreams(configuration_of(folder, text))
    return [(one.protocol, one.host, one.port, one.path, one.name) for one in upstreams]


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        ("proxy_pass http://a.b", ("http", "a.b", 80, None, "")),
        ("proxy_pass https://a.b/x/", ("https", "a.b", 443, None, "")),
        ("proxy_pass http://10.0.0.1:8080/x:y", ("http", "10.0.0.1", 8080, None, "")),
        ("proxy_pass http://[::1]:81", ("http", "::1", 81, None, "")),
        ("proxy_pass http://unix:/run/a.sock:/x", ("http", None, None, "/run/a.sock", "")),
        ("fastcgi_pass unix:/run/php.sock", ("fastcgi", None, None, "/run/php.sock", "")),
        ("fastcgi_pass php:9000", ("fastcgi", "php", 9000, None, "")),
        ("grpc_pass grpcs://a.b", ("grpcs", "a.b", 443, None, "")),
        ("grpc_pass a.b:1", ("grpc", "a.b", 1, None, "")),
        ("uwsgi_pass 127.0.0.1:3031", ("uwsgi", "127.0.0.1", 3031, None, "")),
    ],
)
def test_a_literal_address(tmp_path: Path, passes: str, expected: tuple[object, ...]) -> None:
    assert found(tmp_path, f"server {{ location / {{ {passes}; }} }}") == [expected]


def test_a_block_has_all_its_servers_but_those_that_are_down(tmp_path: Path) -> None:
    assert found(tmp_path, BLOCK + "server { location / { proxy_pass https://app/x; } }") == [
        ("https", "a.b", 81, None, "app"),
        ("https", None, None, "/run/a.sock", "app"),
    ]


def test_the_address_stands_in_the_line_of_the_block_or_in_the_pass(tmp_path: Path) -> None:
    text = BLOCK + "server { location / { proxy_pass http://app; } location /b { proxy_pass http://b:1; } }"
    upstreams = find_upstreams(configuration_of(tmp_path, text))
    assert [one.directive.name for one in upstreams] == ["server", "server", "proxy_pass"]
    assert {one.passes.name for one in upstreams} == {"proxy_pass"}


def test_a_variable_stands_for_what_set_and_map_give_it() -> None:
    upstreams = find_upstreams(own("by-map"))
    assert [(one.host, one.port, one.name, one.by_variable) for one in upstreams] == [
        ("127.0.0.1", 8001, "blue", False),
        ("127.0.0.1", 8002, "green", False),
        ("legacy.internal", 8081, "", True),
    ]


def test_an_address_from_the_request_is_unknown(tmp_path: Path) -> None:
    text = "server { location / { proxy_pass http://$http_x_app; } location /a { proxy_pass $scheme://b:1; } }"
    first, second = find_upstreams(configuration_of(tmp_path, text))
    assert (first.host, first.unknown) == (None, "the address comes from the request")
    assert second.unknown


def test_a_stream_is_none_of_http(tmp_path: Path) -> None:
    assert found(tmp_path, "http { } stream { server { listen 1; proxy_pass a:1; } }") == []
