"""Redirects and refusals are told from sites, however they are written."""

from __future__ import annotations

import pytest

from hopcost.nginx.sites.answers import Answers, answers_of
from hopcost.nginx.tree import parse_file

CHALLENGE = "location ^~ /.well-known/acme-challenge/ { root /x; }"


@pytest.mark.parametrize(
    ("inside", "answers"),
    [
        ("return 301 https://$host$request_uri;", Answers.REDIRECTS),
        ("return https://a.b;", Answers.REDIRECTS),
        ("rewrite ^ https://$host$request_uri? permanent;", Answers.REDIRECTS),
        ("rewrite ^/(.*)$ /app/$1 redirect;", Answers.REDIRECTS),
        ("location / { return 308 https://a; }", Answers.REDIRECTS),
        (f"{CHALLENGE} location / {{ return 301 https://a; }}", Answers.REDIRECTS),
        ("if ($host = a) { return 301 https://a; } return 404;", Answers.REDIRECTS),
        ("if ($scheme = http) { return 301 https://a; } location / { proxy_pass http://b; }", Answers.REDIRECTS),
        ("return 444;", Answers.CLOSES),
        ("location / { return 403; }", Answers.CLOSES),
        ("ssl_reject_handshake on;", Answers.CLOSES),
        ("return 200 ok;", Answers.SITE),
        ("root /x;", Answers.SITE),
        ("location / { return 301 /app/; } location /app/ { proxy_pass http://b; }", Answers.SITE),
        ("location = / { return 301 /app/; } location /app/ { proxy_pass http://b; }", Answers.SITE),
        ("rewrite ^/(.*)$ /index.php?q=$1 last; location / { proxy_pass http://b; }", Answers.SITE),
        ("if ($http_user_agent ~ bot) { return 403; } location / { proxy_pass http://b; }", Answers.SITE),
        (CHALLENGE, Answers.SITE),
    ],
)
def test_what_a_server_answers_with(inside: str, answers: Answers) -> None:
    (server,) = parse_file(f"server {{ {inside} }}", "a")
    assert answers_of(server, is_tls=False) is answers


def test_a_redirect_by_scheme_is_none_for_https() -> None:
    (server,) = parse_file("server { if ($scheme = http) { return 301 https://a; } root /x; }", "a")
    assert answers_of(server, is_tls=True) is Answers.SITE
