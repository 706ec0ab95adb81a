"""A change shows in one start: subrequests, the app's header fields, passwords, filters, and what TLS agrees on."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, seen_load

from hopcost.measure.protocols.conf.behind import origin_without_app
from hopcost.measure.protocols.conf.learning import login_of
from hopcost.measure.protocols.conf.looks.starting import RealTrials, Starter
from hopcost.measure.protocols.conf.plan import ScreenedStack
from hopcost.nginx.ablations import Ablation, find_ablations
from hopcost.nginx.sites import choose_site
from hopcost.suites.arms.arm import Link
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.experiments.workload import Workload

pytestmark = [pytest.mark.usefixtures("nothing_left"), pytest.mark.timeout(120)]

SITE = """
sub_filter never ever;
sub_filter_types *;
server {{
    listen {listen};
    auth_request /ask;
    proxy_set_header X-Outer 1;
    location = /ask {{ proxy_pass http://login:9090; }}
    location / {{ proxy_pass http://app:3000; {directives} }}
    location /elsewhere {{ proxy_pass http://app:3000; proxy_set_header X-Elsewhere 1; add_header X-Elsewhere 1; }}
}}
"""


def tried(folder: Path, text: str, link: Link = Link.HTTP_TCP) -> tuple[RealTrials, dict[str, Ablation]]:
    configuration = configuration_of(folder, text)
    site = choose_site(configuration)
    origin, _ = origin_without_app(configuration, site, "/")
    asked = Configuration(file=str(folder / "nginx.conf"), port=site.port, host=site.host)
    login = login_of(configuration)
    headers = [["Host", site.host], *([["Authorization", login]] if login is not None else [])]
    workload = Workload(connections=8, headers=headers)
    trials = RealTrials(Starter(), ScreenedStack(asked, link, origin, workload), configuration)
    streams = 1 if link.is_http2 else None
    ablations = find_ablations(configuration, site, (1, 22, 1), seen_load(is_tls=site.is_tls, streams=streams))
    return trials, {ablation.name: ablation for ablation in ablations}


def test_subrequests_header_fields_and_filters_show(tmp_path: Path) -> None:
    trials, ablations = tried(tmp_path, SITE.format(listen=80, directives=""))
    why = {
        name: trials.try_change(ablations[name].edits, ablations[name].receipt)
        for name in ("auth-request-off", "no-proxy-headers", "no-sub-filter", "no-add-header")
    }
    assert why.pop("no-add-header") == "without effect here: the answer has the same header fields as before"
    assert why == dict.fromkeys(why)
    nothing = {name: trials.try_change([], ablations[name].receipt) or "" for name in why}
    assert "nobody was asked" in nothing["auth-request-off"]
    assert "gets a head of" in nothing["no-proxy-headers"]
    assert "same header fields" in nothing["no-sub-filter"]


def test_header_lines_that_are_lost_on_the_way_show_nothing(tmp_path: Path) -> None:
    trials, ablations = tried(tmp_path, SITE.format(listen=80, directives="proxy_set_header Host b;"))
    ablation = ablations["no-proxy-headers"]
    assert "header lines of its own" in (trials.try_change(ablation.edits, ablation.receipt) or "")


def test_a_password_that_is_no_longer_asked_for_shows(tmp_path: Path) -> None:
    text = "auth_basic_user_file users;\nserver { listen 80; auth_basic x; location / { proxy_pass http://app:3000; } }"
    trials, ablations = tried(tmp_path, text)
    ablation = ablations["auth-basic-off"]
    assert trials.try_change(ablation.edits, ablation.receipt) is None
    assert "gets 401 as before" in (trials.try_change([], ablation.receipt) or "")


def test_http_2_is_off_only_if_all_servers_of_the_port_are_without_it(tmp_path: Path) -> None:
    listen = "listen 443 ssl http2; ssl_certificate a.pem; ssl_certificate_key a.key;"
    server = f"server {{ {listen} server_name NAME; location / {{ proxy_pass http://app:3000; }} }}\n"
    text = server.replace("NAME", "a.example") + server.replace("NAME", "b.example")
    trials, ablations = tried(tmp_path, text, Link.HTTP2_TLS)
    ablation = ablations["no-http2"]
    assert trials.as_is.protocol == "h2"
    assert trials.try_change(ablation.edits, ablation.receipt) is None
    assert "h2 is spoken as before" in (trials.try_change(ablation.edits[:1], ablation.receipt) or "")
