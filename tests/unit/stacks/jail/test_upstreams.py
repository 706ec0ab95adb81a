"""Where the next hop and the origin for the rest listen, and which edits lead there: as few as can be."""

from __future__ import annotations

import itertools
from pathlib import Path

from known import known
from texts.nginx_texts import configuration_of

from hopcost.nginx.needs import find_needs
from hopcost.nginx.sites import choose_site
from hopcost.stacks.jail.upstreams import Place, Route, Routes, route_upstreams


def routes(folder: Path, http: str, next_place: Place | None = None) -> tuple[Routes, str]:
    """The routes of the first site, and the configuration with their edits."""
    text = configuration_of(folder, http)
    site, needs = choose_site(text), find_needs(text)
    ports = itertools.count(2900)
    routed = route_upstreams(text, site.upstreams, needs.upstreams, needs.ports, next_place, lambda: next(ports))
    return routed, text.with_edits(routed.edits).files[text.main]


def test_a_name_is_this_machine_and_nothing_is_edited(tmp_path: Path) -> None:
    routed, _ = routes(
        tmp_path, "upstream a { server app:3000; } server { listen 80; location / { proxy_pass http://a; } }"
    )
    assert (routed.app, routed.protocol) == (Place(port=3000), "http")
    assert (routed.others, routed.edits, routed.notes) == ([], [], [])


def test_all_other_upstreams_go_to_an_origin(tmp_path: Path) -> None:
    routed, _ = routes(
        tmp_path,
        "server { listen 80; auth_request /auth; location / { proxy_pass http://app:3000; }"
        " location = /auth { proxy_pass http://vouch:9090/validate; }"
        " location /php/ { fastcgi_pass unix:/run/php.sock; } location /far/ { proxy_pass http://10.1.2.3:81; } }",
    )
    assert routed.app == Place(port=3000)
    assert set(routed.others) == {
        Route(Place(port=9090), "http", False),
        Route(Place(path="/run/php.sock"), "fastcgi", False),
        Route(Place(host="10.1.2.3", port=81), "http", False),
    }
    assert not routed.edits


def test_a_port_that_nginx_has_itself_becomes_another_and_that_is_told(tmp_path: Path) -> None:
    routed, text = routes(tmp_path, "server { listen 80; location / { proxy_pass http://app/x/; } }")
    assert routed.app == Place(port=2900)
    assert "proxy_pass http://127.0.0.1:2900/x/;" in text
    assert routed.notes == ["nginx.conf:3: 127.0.0.1:80 is 127.0.0.1:2900 here"]


def test_all_servers_of_one_block_are_the_one_app(tmp_path: Path) -> None:
    routed, text = routes(
        tmp_path,
        "upstream a { server app:3000 weight=2; server app:3001; }"
        " server { listen 80; location / { proxy_pass http://a; } }",
    )
    assert (routed.app, routed.others) == (Place(port=3000), [])
    assert "server app:3000 weight=2; server 127.0.0.1:3000;" in text


def test_a_site_that_is_not_asked_is_not_edited_for_a_port_that_is_taken(tmp_path: Path) -> None:
    routed, text = routes(
        tmp_path,
        "server { listen 80; server_name a; location / { proxy_pass http://one:8080; } }\n"
        "server { listen 80; server_name b; location / { proxy_pass http://two:8080; } }",
    )
    assert (routed.others, routed.edits) == ([], [])
    assert "two:8080" in text


def test_the_next_hop_may_have_a_place_of_its_own(tmp_path: Path) -> None:
    http = "upstream a { server unix:/run/app.sock; } server { listen 80; location / { proxy_pass http://a; } }"
    routed, text = routes(tmp_path, http, Place(port=4000))
    assert "server 127.0.0.1:4000;" in text and routed.app == Place(port=4000)
    same, _ = routes(tmp_path, http, Place(path="/run/app.sock"))
    assert not same.edits


def test_tls_to_an_upstream_is_left_out_and_told(tmp_path: Path) -> None:
    routed, text = routes(
        tmp_path,
        "upstream a { server app:8443; } server { listen 80; location / { proxy_pass https://a/x; }\n"
        " location /b { proxy_pass https://other; } }",
    )
    assert "proxy_pass http://a/x;" in text and "proxy_pass http://127.0.0.1:443;" in text
    assert sum("TLS to the upstream is left out" in note for note in routed.notes) == 2
    assert known(routed.app).port == 8443


def test_what_nothing_can_answer_for_is_told(tmp_path: Path) -> None:
    routed, _ = routes(
        tmp_path,
        "server { listen 80; location / { proxy_pass http://app:3000; }"
        " location /g { grpc_pass grpc://g:50051; } location /v { proxy_pass http://$http_x; } }",
    )
    assert len(routed.notes) == 2 and all("nothing answers there" in note for note in routed.notes)
