"""What the load sends: the site's host and what browsers accept, unless something else was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of

from hopcost.errors import UsageError
from hopcost.measure.protocols.conf.request import ConfRequest
from hopcost.nginx.sites import choose_site
from hopcost.suites.arms.arm import Link
from hopcost.suites.experiments.workload import Workload


def sent(*headers: list[str]) -> list[list[str]]:
    request = ConfRequest(file=Path("nginx.conf"), workload=Workload(headers=list(headers)))
    return request.workload_of("example.org").headers


def test_the_load_names_the_site_and_accepts_gzip_as_browsers_do() -> None:
    assert sent(["Cookie", "a=1"]) == [["Host", "example.org"], ["Accept-Encoding", "gzip"], ["Cookie", "a=1"]]


def test_what_is_asked_for_takes_the_place_of_what_browsers_send() -> None:
    own = [["host", "other.org"], ["accept-encoding", "identity"]]
    assert sent(*own) == own


def test_where_a_password_is_asked_for_the_load_logs_in() -> None:
    request = ConfRequest(file=Path("nginx.conf"), workload=Workload())
    assert request.workload_of("a", "Basic eA==").headers[2] == ["Authorization", "Basic eA=="]
    asked = ConfRequest(file=Path("nginx.conf"), workload=Workload(headers=[["authorization", "Bearer x"]]))
    assert [name for name, _ in asked.workload_of("a", "Basic eA==").headers] == [
        "Host",
        "Accept-Encoding",
        "authorization",
    ]


@pytest.mark.parametrize(
    ("listen", "http2", "link"),
    [("80", False, Link.HTTP_TCP), ("443 ssl", False, Link.HTTPS_TCP), ("443 ssl http2", True, Link.HTTP2_TLS)],
)
def test_http_2_is_spoken_if_it_is_asked_for(tmp_path: Path, listen: str, http2: bool, link: Link) -> None:
    text = f"server {{ listen {listen}; location / {{ proxy_pass http://127.0.0.1:3000; }} }}"
    site = choose_site(configuration_of(tmp_path, text))
    assert ConfRequest(file=Path("nginx.conf"), workload=Workload(), http2=http2).link_to(site) is link


def test_http_2_without_tls_is_refused_with_the_next_step(tmp_path: Path) -> None:
    site = choose_site(configuration_of(tmp_path, "server { listen 80; root /srv; }"))
    with pytest.raises(UsageError, match="is reached without TLS") as caught:
        ConfRequest(file=Path("nginx.conf"), workload=Workload(), http2=True).link_to(site)
    assert "--site" in (caught.value.hint or "")
