"""What stands behind a site: hopcost's origin or the app, in the protocol that requests are passed on in."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of

from hopcost.errors import UsageError
from hopcost.measure.protocols.conf.behind import app_hop_of, origin_of, origin_that_echoes, origin_without_app
from hopcost.nginx.sites import Site, choose_site
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Link


def site(folder: Path, location: str) -> Site:
    return choose_site(configuration_of(folder, f"server {{ listen 80; location / {{ {location} }} }}"))


@pytest.mark.parametrize(
    ("location", "link"),
    [
        ("proxy_pass http://127.0.0.1:3000;", Link.HTTP_TCP),
        ("proxy_pass https://127.0.0.1:3000;", Link.HTTP_TCP),
        ("proxy_pass http://unix:/run/app.sock;", Link.HTTP_UNIX),
        ("fastcgi_pass 127.0.0.1:9000;", Link.FASTCGI_TCP),
        ("fastcgi_pass unix:/run/php.sock;", Link.FASTCGI_UNIX),
    ],
)
def test_the_origin_speaks_what_requests_are_passed_on_in(tmp_path: Path, location: str, link: Link) -> None:
    origin = origin_of(site(tmp_path, location))
    assert origin is not None
    assert (origin.program, origin.link) == ("origin", link)


def test_it_answers_every_path_with_as_much_as_the_app_did(tmp_path: Path) -> None:
    origin = origin_of(site(tmp_path, "proxy_pass http://127.0.0.1:3000;"), 300, "Application/JSON; charset=utf-8")
    assert origin is not None
    assert origin.settings == {"any_path": "/text/300", "content_type": "application/json"}


def test_a_type_that_it_does_not_know_is_its_own(tmp_path: Path) -> None:
    origin = origin_of(site(tmp_path, "proxy_pass http://127.0.0.1:3000;"), 300, "text/calendar")
    assert origin is not None
    assert origin.settings == {"any_path": "/bytes/300", "content_type": ""}


@pytest.mark.parametrize(
    ("directives", "target", "any_path", "words"),
    [
        ("", "/", "/text/2048", None),
        ("gzip on;", "/", "/text/20000", "20,000 bytes of text: gzip is on"),
        ("gzip on; ssi on;", "/", "/text/20000", "gzip, ssi are on"),
        ("gzip on; location /plain { gzip off; proxy_pass http://127.0.0.1:3000; }", "/plain", "/text/20000", "gzip"),
        ("location /files { sub_filter a b; root /x; }", "/", "/text/2048", None),
        ("location /files { sub_filter a b; root /x; }", "/files", "/text/20000", "sub_filter is on"),
    ],
)
def test_what_reads_every_byte_gets_a_page_of_a_real_size(
    tmp_path: Path, directives: str, target: str, any_path: str, words: str | None
) -> None:
    text = f"server {{ listen 80; {directives} location / {{ proxy_pass http://127.0.0.1:3000; }} }}"
    configuration = configuration_of(tmp_path, text)
    origin, told = origin_without_app(configuration, choose_site(configuration), target)
    assert origin is not None and origin.settings == {"any_path": any_path, "content_type": "text/html"}
    assert told is None if words is None else words in (told or "")


def test_one_that_echoes_is_the_same_origin(tmp_path: Path) -> None:
    origin = origin_of(site(tmp_path, "proxy_pass http://127.0.0.1:3000;"))
    assert origin is not None
    echoing = origin_that_echoes(origin)
    assert echoing.link is origin.link and echoing.settings["content_type"] == "text/html"
    assert echoing.settings["any_path"] == "/echo-head-length"


def test_behind_a_site_that_serves_files_stands_nothing(tmp_path: Path) -> None:
    static = site(tmp_path, "root /srv/www;")
    assert origin_of(static) is None
    with pytest.raises(UsageError, match="passes no request to an app"):
        app_hop_of(static, App(command=["./serve"]))


def test_an_app_is_reached_over_a_socket_only_if_it_is_told_one(tmp_path: Path) -> None:
    over_socket = site(tmp_path, "proxy_pass http://unix:/run/app.sock;")
    assert app_hop_of(over_socket, App(command=["./serve"])).link is Link.HTTP_TCP
    assert app_hop_of(over_socket, App(command=["./serve", "{socket}"])).link is Link.HTTP_UNIX


def test_another_protocol_is_refused_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="uwsgi") as caught:
        origin_of(site(tmp_path, "uwsgi_pass 127.0.0.1:9000;"))
    assert caught.value.hint is not None
