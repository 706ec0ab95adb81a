"""A literal address becomes an upstream block, and nothing else changes for the app or the client."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import changed


def lines(folder: Path, inside: str) -> list[str]:
    text = "server {\n    location /a/ {\n        " + inside + "\n    }\n}"
    return [line.strip() for line in changed(folder, text, "keepalive", idle_timeout_s=5.0).splitlines()]


def test_the_block_stands_before_the_server_and_the_app_gets_the_same_host(tmp_path: Path) -> None:
    assert lines(tmp_path, "proxy_pass http://app.test:81/x/;") == [
        "upstream kept_app_test_81 {",
        "server app.test:81;",
        "keepalive 64;",
        "keepalive_timeout 4s;",
        "}",
        "",
        "server {",
        "location /a/ {",
        "proxy_pass http://kept_app_test_81/x/;",
        "proxy_http_version 1.1;",
        "proxy_redirect http://app.test:81/x/ /a/;",
        "proxy_set_header Host app.test:81;",
        'proxy_set_header Connection "";',
        "}",
        "}",
    ]


@pytest.mark.parametrize(
    ("passes", "server", "left"),
    [
        ("http://10.0.0.1", "server 10.0.0.1:80;", "proxy_pass http://kept_10_0_0_1_80;"),
        ("https://a.b/x", "server a.b:443;", "proxy_pass https://kept_a_b_443/x;"),
        ("http://[::1]:81/", "server [::1]:81;", "proxy_pass http://kept___1_81/;"),
        ("http://unix:/run/a.sock", "server unix:/run/a.sock;", "proxy_pass http://kept_run_a_sock;"),
        ("'http://unix:/run/a.sock:/x'", "server unix:/run/a.sock;", "proxy_pass 'http://kept_run_a_sock/x';"),
    ],
)
def test_addresses_of_all_kinds(tmp_path: Path, passes: str, server: str, left: str) -> None:
    result = lines(tmp_path, f"proxy_pass {passes};")
    assert result[1] == server
    assert left in result


def test_a_name_for_tls_stays_that_of_the_app(tmp_path: Path) -> None:
    assert "proxy_ssl_name a.b;" in lines(tmp_path, "proxy_pass https://a.b;")
    own = lines(tmp_path, "proxy_ssl_name c; proxy_redirect off; proxy_set_header Host c; proxy_pass https://a.b;")
    assert not {"proxy_ssl_name a.b;", "proxy_set_header Host a.b;"} & set(own)


def test_a_name_that_is_taken_is_not_taken_again(tmp_path: Path) -> None:
    text = "upstream kept_a_80 { server b; }\nserver { location / { proxy_pass http://a; } }"
    assert "upstream kept_a_80_by_hopcost {" in changed(tmp_path, text, "keepalive")
