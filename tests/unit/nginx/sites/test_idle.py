"""The idle time-out of a site: its own, else that of `http`, else nginx's."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of

from hopcost.nginx.sites import choose_site
from hopcost.nginx.sites.idle import idle_timeout_s


@pytest.mark.parametrize(
    ("http", "server", "expected"),
    [
        ("", "", 75.0),
        ("keepalive_timeout 65;", "", 65.0),
        ("keepalive_timeout 65;", "keepalive_timeout 5s 60;", 5.0),
        ("", "location /slow { keepalive_timeout 1m; return 200; }", 60.0),
        ("keepalive_timeout 0;", "", None),
        ("upstream app { server a:1; keepalive 2; keepalive_timeout 3s; }", "", 75.0),
        ("server { listen 81; keepalive_timeout 2; return 200; }", "", 75.0),
    ],
)
def test_the_smallest_that_a_client_of_the_site_meets(
    tmp_path: Path, http: str, server: str, expected: float | None
) -> None:
    text = configuration_of(tmp_path, f"{http}\nserver {{ listen 80; {server} location / {{ return 200 a; }} }}")
    assert idle_timeout_s(text, choose_site(text, port=80)) == expected
