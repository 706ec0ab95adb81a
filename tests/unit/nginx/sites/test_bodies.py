"""What works on every byte of an answer, where it is in effect."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of

from hopcost.nginx.sites import choose_site
from hopcost.nginx.sites.bodies import works_on_bodies


@pytest.mark.parametrize(
    ("text", "path", "names"),
    [
        ("server { location / { proxy_pass http://a:1; } }", "/", []),
        ("gzip on;\nserver { location / { proxy_pass http://a:1; } }", "/", ["gzip"]),
        ("gzip on;\nserver { gzip off; location / { proxy_pass http://a:1; } }", "/", []),
        ("server { location / { proxy_pass http://a:1; sub_filter a b; brotli on; } }", "/", ["brotli", "sub_filter"]),
        ("server { location / { proxy_pass http://a:1; } location /x { ssi on; } }", "/x", ["ssi"]),
        ("server { location / { proxy_pass http://a:1; } location /x { ssi on; } }", "/", []),
        ("server { root /x; gzip off; location ~ \\.php$ { gzip on; fastcgi_pass a:1; } }", "/", ["gzip"]),
    ],
)
def test_the_innermost_line_decides(tmp_path: Path, text: str, path: str, names: list[str]) -> None:
    configuration = configuration_of(tmp_path, text)
    assert works_on_bodies(configuration, choose_site(configuration), path) == names
