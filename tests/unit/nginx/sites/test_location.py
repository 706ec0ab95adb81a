"""A path goes into the location that nginx would choose."""

from __future__ import annotations

import pytest

from hopcost.nginx.sites.location import blocks_of_path
from hopcost.nginx.tree import parse_file

SERVER = r"""server {
    location = / { return 200 exact; }
    location / { try_files $uri $uri/ /index.php?$args; }
    location /api { proxy_pass http://a; location /api/v2 { proxy_pass http://b; } location ~ \.json$ { return 200; } }
    location ^~ /fixed/ { root /x; }
    location ~ \.php$ { fastcgi_pass c; }
    location ~* \.(?<kind>PNG|css)$ { expires 1d; }
    location ~ (broken { return 500; }
    location /to/ { try_files $uri @app; }
    location @app { proxy_pass http://d; }
    location /not/ { try_files $uri =404; }
}"""


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", [("=", "/")]),
        ("/x", [("~", r"\.php$")]),
        ("/api/x?y=/", [("/api",)]),
        ("/api/v2/x", [("/api",), ("/api/v2",)]),
        ("/api/x.json", [("/api",), ("~", r"\.json$")]),
        ("/fixed/a.php", [("^~", "/fixed/")]),
        ("/a.png", [("~*", r"\.(?<kind>PNG|css)$")]),
        ("/api/a.css", [("~*", r"\.(?<kind>PNG|css)$")]),
        ("/to/x", [("@app",)]),
        ("/not/x", [("/not/",)]),
    ],
)
def test_the_locations_of_a_path(path: str, words: list[tuple[str, ...]]) -> None:
    (server,) = parse_file(SERVER, "a")
    assert [block.args for block in blocks_of_path(server, path)] == words


def test_without_a_location_the_server_answers() -> None:
    (server,) = parse_file("server { root /x; location /a { } }", "a")
    assert blocks_of_path(server, "/b") == ()
    (server,) = parse_file("server { try_files $uri /a; location /a { proxy_pass http://b; } }", "a")
    assert [block.args for block in blocks_of_path(server, "/b")] == [("/a",)]
