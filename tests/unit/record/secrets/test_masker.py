"""Secrets in command lines, header fields, variables and texts are masked; all else stays as it is."""

from __future__ import annotations

import pytest
from places import ROOT

from hopcost.record.secrets import MASK, Masker, mask_environment, mask_headers, mask_text, mask_words

SECRET = "s3cret-Value.42"


@pytest.mark.parametrize(
    "words",
    [
        ["--password", SECRET],
        ["--db-password", SECRET],
        [f"--password={SECRET}"],
        [f"--token={SECRET}"],
        ["--api-key", SECRET],
        ["--pass", SECRET],
        ["-H", f"Authorization: Bearer {SECRET}"],
        [f"-HAuthorization: Bearer {SECRET}"],
        ["--header", f"X-Api-Key: {SECRET}"],
        [f"--header=Cookie: session={SECRET}; theme=dark"],
        ["-H", f"X-Session-Token:{SECRET}"],
        [f"DB_PASSWORD={SECRET}"],
        ["env", f"SECRET_KEY_BASE={SECRET}", "rails", "server"],
        ["-e", f"ANYTHING={SECRET}"],
        [f"-Dspring.datasource.password={SECRET}"],
        ["-u", f"me:{SECRET}"],
        [f"http://me:{SECRET}@127.0.0.1:3000/"],
        [f"postgresql://app:{SECRET}@db/shop?sslmode=off"],
        [f"redis://:{SECRET}@cache:6379/0"],
        [f"https://{SECRET}@github.com/x/y"],
        [f"http://localhost/?user=1&api_key={SECRET}"],
        [f"/data?key={SECRET}&page=2"],
        [f"host=db user=app password={SECRET} dbname=shop"],
        [f"Server=db;User Id=app;Password={SECRET};"],
        [f'{{"user": "me", "password": "{SECRET}"}}'],
        ["--body", f'{{"access_token":"{SECRET}","page":1}}'],
        ["sh", "-c", f"API_KEY={SECRET} node server.js"],
        ["gate", "--after", f"shop.command=node server.js -u me:{SECRET} --name 'a b'"],
        ["gate", "--after", f"shop.command=node 'open --token={SECRET}"],
        ["sh", "-c", f"serve --password {SECRET} --port 3000"],
    ],
    ids=" ".join,
)
def test_a_secret_of_a_command_line_is_masked_and_the_number_of_words_stays(words: list[str]) -> None:
    masked = mask_words(words)
    assert SECRET not in " ".join(masked) and MASK in " ".join(masked)
    assert len(masked) == len(words)
    assert mask_words(masked) == masked, "masking again changes nothing"


@pytest.mark.parametrize(
    "words",
    [
        ["hopcost", "run", "nginx-go", "one-core", "--quick", "--time", "5m", "--record", "records/mine"],
        ["hopcost", "gate", "hello/one-core/nginx", "--after", "nginx.access_log=on", "--before", "nginx.gzip=off"],
        ["node", "server.js", "--port", "{port}", "--workers=4"],
        ["hopcost", "gate", "--after", "shop.command=node  'a b.js' --port {port}", "--before", "shop.folder=../main"],
        ["gunicorn", "-b", "127.0.0.1:{port}", "-w", "2", "app:app", "--keyfile", "/etc/tls/key.pem"],
        ["nginx", "-c", "/tmp/hopcost-stack-1-2-3/nginx.conf", "-g", "daemon off;"],
        ["-H", "Accept-Encoding: gzip", "-H", "Host: example.org:8080", "http://127.0.0.1:2001/a?page=2&size=10"],
        ["--password-file", "/run/secrets/db", "--token", "$TOKEN", "PASSWORD=${DB_PASSWORD}"],
        ["taskset", "--cpu-list", "0,1", "wrk", "-t", "1", "-c", "64", "-d", "5s", "--latency", "http://[::1]:80/"],
        ["java", "-Xmx512m", "-jar", "app.jar", "--server.port=8080", "--public-key=abc", "max_tokens=100"],
    ],
    ids=" ".join,
)
def test_a_command_line_without_a_secret_stays_as_it_is(words: list[str]) -> None:
    assert mask_words(words) == words


@pytest.mark.parametrize(
    "name",
    ["Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token", "X-CSRF-Token"],
)
def test_header_fields_with_secrets_are_masked_whole(name: str) -> None:
    assert mask_headers([(name, f"Bearer {SECRET}")]) == [(name, MASK)]


def test_other_header_fields_stay() -> None:
    fields = [("Accept", "*/*"), ("Accept-Encoding", "gzip"), ("User-Agent", "hopcost"), ("If-None-Match", '"abc"')]
    assert mask_headers(fields) == fields


def test_every_value_of_an_apps_variables_is_masked() -> None:
    assert mask_environment({"NODE_ENV": "production", "X": SECRET, "NONE": ""}) == {
        "NODE_ENV": MASK,
        "X": MASK,
        "NONE": "",
    }


@pytest.mark.parametrize(
    "text",
    [
        f'proxy_set_header Authorization "Basic {SECRET}";',
        f"    proxy_set_header X-Api-Key {SECRET};",
        f'set $api_token "{SECRET}";',
        f"fastcgi_param DB_PASSWORD {SECRET};",
        f'RequestHeader set Authorization "Bearer {SECRET}"',
        f"SetEnv SECRET_KEY {SECRET}",
        f"http-request set-header X-Auth-Token {SECRET}",
        f"    stats auth admin:{SECRET}",
        f"    user tiger insecure-password {SECRET}",
        "    user lion password $6$k6y3o.eP$JlKBx9za9667qe4xHSwRv6J.C0/D7cV91",
        f"requirepass_password {SECRET}",
        f"password: {SECRET}",
        f"  secret_key: '{SECRET}'",
        f'"client_secret" : "{SECRET}",',
        f"'Authorization': 'Bearer {SECRET}',",
        f'[["Authorization", "Bearer {SECRET}"]]',
        f'{{\\"password\\":\\"{SECRET}\\"}}',
        f"Authorization: Digest username=me, response={SECRET}",
        f"< Set-Cookie: sessionid={SECRET}; Path=/; HttpOnly",
        f"curl -H 'Authorization: Bearer {SECRET}' http://localhost/",
        f"could not connect to postgresql://app:{SECRET}@127.0.0.1:5432/shop",
        f"level=info msg=started token={SECRET} port=3000",
        f"connecting with password = '{SECRET}'",
        f"running: psql --password {SECRET} shop",
        f"-----BEGIN EC PRIVATE KEY-----\n{SECRET}\n-----END EC PRIVATE KEY-----",
        "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "AKIAIOSFODNN7EXAMPLE",
    ],
)
def test_a_secret_of_a_configuration_or_a_log_is_masked(text: str) -> None:
    masked = mask_text(text)
    secrets = [SECRET, "k6y3o", "eyJzdWIi", "IOSFODNN7"]
    assert not any(secret in masked for secret in secrets) and MASK in masked
    assert mask_text(masked) == masked, "masking again changes nothing"


def test_what_stands_around_a_secret_stays() -> None:
    assert mask_text(f"a postgresql://app:{SECRET}@db:5432/shop b") == f"a postgresql://app:{MASK}@db:5432/shop b"
    assert mask_text(f"curl -H 'Cookie: a={SECRET}' http://x/") == f"curl -H 'Cookie: {MASK}' http://x/"
    assert mask_text(f'"token": "{SECRET}", "page": 1') == f'"token": "{MASK}", "page": 1'


@pytest.mark.parametrize(
    "text",
    [
        'FATAL: password authentication failed for user "app"',
        "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
        "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
        "django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.",
        "Error: listen EADDRINUSE: address already in use 127.0.0.1:3000",
        "it needs a login: -H 'Authorization: …'",
        "proxy_set_header Cookie $http_cookie;\nproxy_pass http://app;\nproxy_hide_header Set-Cookie;",
        'if (req.http.Cookie == "x") { unset req.http.Cookie; }',
        'if ($http_authorization = "") { return 401; }',
        "ssl_certificate_key /etc/ssl/key.pem;\nssl_password_file /etc/keys;\nserver_tokens off;",
        'proxy_cache_key "$scheme$host$uri";\nproxy_cache_path /tmp/c keys_zone=c:10m;',
    ],
)
def test_a_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert mask_text(text) == text


def test_configurations_that_are_shipped_have_nothing_to_mask() -> None:
    for path in sorted((ROOT / "src/hopcost/programs/shipped").glob("*/*.j2")):
        text = path.read_text()
        assert mask_text(text) == text, path


def test_what_a_command_line_has_as_a_secret_is_known_again_in_a_log() -> None:
    masker = Masker()
    masker.mask_words(["serve", "--password", SECRET, "mysql://app:other-pass@db/shop"])
    masker.mask_headers([("Authorization", "Bearer header-token"), ("Cookie", "theme=dark; id=cookie-value")])
    masker.mask_environment({"STRIPE": "a1b2c3d4e5f6a7b8c9", "NODE_ENV": "production", "MY_SECRET": "in-my-app"})
    log = f"{SECRET} other-pass header-token cookie-value a1b2c3d4e5f6a7b8c9 in-my-app production"
    assert masker.mask_text(log) == " ".join([MASK] * 6) + " production"


def test_a_short_word_is_not_looked_for_elsewhere() -> None:
    masker = Masker()
    assert masker.mask_words(["--password", "app"]) == ["--password", MASK]
    assert masker.mask_text("the app starts") == "the app starts"
