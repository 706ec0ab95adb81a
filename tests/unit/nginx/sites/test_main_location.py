"""Most requests go where `location /` goes, or where its `try_files` ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of

from hopcost.nginx.sites import choose_site


@pytest.mark.parametrize(
    "inside",
    [
        "location = /auth { internal; proxy_pass http://127.0.0.1:2; } location / { proxy_pass http://127.0.0.1:1; }",
        "location /a { proxy_pass http://127.0.0.1:2; } location / { try_files $uri @app; }"
        " location @app { proxy_pass http://127.0.0.1:1; }",
        "location = /x { proxy_pass http://127.0.0.1:2; } location /a { proxy_pass http://127.0.0.1:1; }",
        "location /ws { proxy_pass http://127.0.0.1:2; } location / { try_files $uri /index.php?$args; }"
        r" location ~ \.php$ { fastcgi_pass 127.0.0.1:1; }",
    ],
)
def test_the_upstream_of_most_requests_comes_first(tmp_path: Path, inside: str) -> None:
    site = choose_site(configuration_of(tmp_path, f"server {{ {inside} }}"))
    assert [upstream.port for upstream in site.upstreams] == [1, 2]
