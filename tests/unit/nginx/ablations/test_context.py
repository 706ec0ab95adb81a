"""What reaches the site and its path is told from what does not."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import ablations_of, configuration_of, context_of

TEXT = """
gzip on;
upstream used { server a:1; keepalive 9; }
upstream unused { server a:2; keepalive 9; }
server { listen 81; gzip off; return 200; }
server {
    listen 80;
    location / { proxy_pass http://used; }
    location /files/ { gzip on; root /x; }
}"""


def test_other_servers_and_unused_upstreams_do_not_reach_the_site(tmp_path: Path) -> None:
    context = context_of(configuration_of(tmp_path, TEXT))
    assert [found.directive.line for found in context.all_of("gzip")] == [4, 11]
    assert [found.directive.line for found in context.all_of("keepalive")] == [5]


def test_the_value_in_effect_is_the_innermost(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "gzip on;\nserver { gzip off; location / { proxy_pass http://a; } }")
    assert context_of(configuration).value("gzip", "x") == "off"
    assert context_of(configuration).value("etag", "on") == "on"


def test_what_stands_in_another_location_is_told_with_it(tmp_path: Path) -> None:
    text = "server { location / { proxy_pass http://a:1; } location /b { auth_basic x; proxy_pass http://a:1; } }"
    assert ablations_of(tmp_path, text)["auth-basic-off"].unseen == (
        "it is for location /b; --path of a page there would show it"
    )
    assert ablations_of(tmp_path, text, path="/b/c")["auth-basic-off"].unseen is None


def test_the_location_of_a_subrequest_is_on_the_way(tmp_path: Path) -> None:
    text = (
        "server { auth_request /ask; location / { proxy_pass http://a:1; }"
        " location = /ask { add_header X y; proxy_pass http://b:1; } }"
    )
    assert ablations_of(tmp_path, text)["no-add-header"].unseen is None


def test_workers_are_those_that_run_or_as_the_file_says(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "worker_processes 3; events {}\nhttp { server { } }")
    assert context_of(configuration).workers == 3
    assert context_of(configuration, workers=1).workers == 1


def test_edits_of_what_hopcost_supplied_are_never_offered(tmp_path: Path) -> None:
    ablation = ablations_of(
        tmp_path, "server { include options-ssl-nginx.conf; listen 443 ssl; ssl_session_tickets off; }"
    )
    assert not ablation["ssl-session-tickets"].is_offered
