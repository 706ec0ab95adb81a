"""Secrets are masked where nginx's syntax shows them, and variables and paths stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, directive, own

from hopcost.nginx.edits.diff import unified_diff
from hopcost.nginx.edits.make import remove
from hopcost.nginx.secrets import find_secrets, hide_secrets, masked


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('proxy_set_header Authorization "Basic abc=";', 'proxy_set_header Authorization "Basic (masked)";'),
        ("proxy_set_header X-Api-Key 'k1';", "proxy_set_header X-Api-Key '(masked)';"),
        ("set $api_token abc;", "set $api_token (masked);"),
        ("fastcgi_param DB_PASSWORD hunter2;", "fastcgi_param DB_PASSWORD (masked);"),
        ("secure_link_secret word;", "secure_link_secret (masked);"),
        ("proxy_pass http://user:pw@a.b/;", "proxy_pass http://(masked)@a.b/;"),
        (
            'if ($http_authorization != "Bearer x") { return 403; }',
            'if ($http_authorization != "Bearer (masked)") { return 403; }',
        ),
        ("if ($cookie_secret = abc) { return 403; }", "if ($cookie_secret = (masked)) { return 403; }"),
        ("map $http_x_api_key $ok { default 0; k2 1; }", "map $http_x_api_key $ok { default 0; (masked) 1; }"),
    ],
)
def test_a_secret_is_masked(tmp_path: Path, line: str, expected: str) -> None:
    configuration = configuration_of(tmp_path, line)
    text = masked(configuration.files[configuration.main], configuration.main, find_secrets(configuration))
    assert text == configuration.files[configuration.main].replace(line, expected)


@pytest.mark.parametrize(
    "line",
    [
        "proxy_set_header Authorization $http_authorization;",
        'proxy_set_header Authorization "";',
        'proxy_set_header Cookie "$http_cookie";',
        "server_tokens off;",
        "proxy_set_header Host example.com;",
        "ssl_certificate_key /etc/ssl/a.key;",
        "proxy_pass http://a.b/@x;",
    ],
)
def test_what_is_none_stays(tmp_path: Path, line: str) -> None:
    assert find_secrets(configuration_of(tmp_path, line)) == []


def test_the_password_of_our_own_configuration_is_found() -> None:
    configuration = own("asks-for-login")
    (span,) = find_secrets(configuration)
    assert configuration.files[span.file][span.start : span.end].startswith("aG9w")


def test_a_diff_shows_no_secret_in_its_context() -> None:
    configuration = own("asks-for-login")
    diff = unified_diff(configuration, [remove(configuration, directive(configuration, "proxy_pass_request_body"))])
    assert "aG9wY29zdDpleGFtcGxl" in diff
    assert '"Basic (masked)";' in hide_secrets(configuration, diff)
    assert "aG9wY29zdDpleGFtcGxl" not in hide_secrets(configuration, diff)
