"""Each family's edits, as they stand in the text, and the load that would show them."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import ablations_of, changed

from hopcost.nginx.ablations import Receipt

PROXY = "location / { proxy_pass http://a:1; }"
FILES = "root /x; location / { try_files $uri =404; }"


@pytest.mark.parametrize(
    ("directives", "name", "before", "after"),
    [
        ("proxy_cache a;", "proxy-cache-off", "proxy_cache a;", "proxy_cache off;"),
        ("auth_request /x;", "auth-request-off", "auth_request /x;", "auth_request off;"),
        ("auth_basic 'x';", "auth-basic-off", "auth_basic 'x';", "auth_basic off;"),
        ("modsecurity on;", "modsecurity-off", "modsecurity on;", "modsecurity off;"),
        ("access_by_lua_block { a }", "no-lua", "access_by_lua_block { a } ", ""),
        ("proxy_buffering off;", "buffering", "proxy_buffering off;", "proxy_buffering on;"),
        ("proxy_set_header X-A $b;", "no-proxy-headers", "proxy_set_header X-A $b; ", ""),
        ("proxy_set_header X-A $request_id;", "no-request-id", "proxy_set_header X-A $request_id; ", ""),
        ("add_header X-A b;", "no-add-header", "add_header X-A b; ", ""),
        ("set_real_ip_from 10.0.0.0/8;", "no-real-ip", "set_real_ip_from 10.0.0.0/8; ", ""),
        ("keepalive_timeout 0;", "client-keepalive", "keepalive_timeout 0;", "keepalive_timeout 75s;"),
        ("keepalive_requests 10;", "keepalive-requests", "keepalive_requests 10;", "keepalive_requests 1000;"),
    ],
)
def test_a_directive_changes_as_its_family_says(
    tmp_path: Path, directives: str, name: str, before: str, after: str
) -> None:
    text = f"server {{ {directives} {PROXY} }}"
    assert changed(tmp_path, text, name) == text.replace(before, after)
    assert ablations_of(tmp_path, text)[name].unseen is None


@pytest.mark.parametrize(
    ("directives", "name", "receipt"),
    [
        ("auth_request /ask; location /ask { proxy_pass http://b:2; }", "auth-request-off", Receipt.SUBREQUESTS),
        ("auth_request /ask; location /ask { proxy_pass http://unix:/a.sock; }", "auth-request-off", Receipt.NONE),
        ("auth_request /ask; location /ask { return 204; }", "auth-request-off", Receipt.NONE),
        ("auth_basic 'x';", "auth-basic-off", Receipt.LOGIN),
        ("proxy_set_header X-A $b;", "no-proxy-headers", Receipt.REQUEST),
        ("proxy_set_header X-A $request_id;", "no-request-id", Receipt.REQUEST),
        ("add_header X-A b;", "no-add-header", Receipt.HEADER),
        ("sub_filter a b;", "no-sub-filter", Receipt.HEADER),
        ("charset utf-8;", "no-charset", Receipt.HEADER),
        ("image_filter test;", "no-image-filter", Receipt.NONE),
    ],
)
def test_what_shows_that_a_directive_is_gone(tmp_path: Path, directives: str, name: str, receipt: Receipt) -> None:
    assert ablations_of(tmp_path, f"server {{ {directives} {PROXY} }}")[name].receipt is receipt


def test_compression_takes_the_length_away_so_a_filter_does_not_show(tmp_path: Path) -> None:
    ablations = ablations_of(tmp_path, f"server {{ sub_filter a b; charset utf-8; {PROXY} }}", encoding="gzip")
    assert (ablations["no-sub-filter"].receipt, ablations["no-charset"].receipt) == (Receipt.NONE, Receipt.HEADER)


def test_host_upgrade_and_authorization_stay(tmp_path: Path) -> None:
    text = (
        f"proxy_set_header Host a; proxy_set_header Upgrade b; proxy_set_header Authorization c;\nserver {{ {PROXY} }}"
    )
    assert "no-proxy-headers" not in ablations_of(tmp_path, text)


def test_keepalive_requests_of_an_older_nginx_is_100(tmp_path: Path) -> None:
    text = f"server {{ {PROXY} }}"
    assert "keepalive_requests 1000;" in changed(tmp_path, text, "keepalive-requests", version=(1, 18, 0))
    assert "keepalive-requests" not in ablations_of(tmp_path, text, version=(1, 22, 1))


@pytest.mark.parametrize(
    ("directives", "name", "added"),
    [
        ("", "open-file-cache", "open_file_cache max=1000 inactive=20s;"),
        ("open_file_cache off;", "open-file-cache", "open_file_cache max=1000 inactive=20s;"),
        ("open_file_cache max=9;", "no-open-file-cache", "open_file_cache off;"),
        ("", "sendfile", "sendfile on;"),
        ("sendfile off;", "sendfile", "sendfile on;"),
        ("tcp_nopush on;", "no-tcp-nopush", "tcp_nopush off;"),
        ("aio threads;", "no-aio", "aio off;"),
    ],
)
def test_files(tmp_path: Path, directives: str, name: str, added: str) -> None:
    text = f"server {{ {directives} {FILES} }}"
    assert added in changed(tmp_path, text, name, is_from_upstream=False)
    large = ablations_of(tmp_path, text, is_from_upstream=False, body_bytes=200_000)[name]
    assert large.unseen is None
    assert "--path" in (ablations_of(tmp_path, text, is_from_upstream=True)[name].unseen or "")


def test_files_are_no_matter_of_a_proxy_alone(tmp_path: Path) -> None:
    assert not {"open-file-cache", "sendfile"} & set(ablations_of(tmp_path, f"server {{ {PROXY} }}"))


def test_small_files_and_tls_do_not_show_sendfile(tmp_path: Path) -> None:
    text = f"server {{ {FILES} }}"
    small = ablations_of(tmp_path, text, is_from_upstream=False, body_bytes=100)["sendfile"]
    assert "above 100 kB" in (small.unseen or "")
    tls = ablations_of(tmp_path, text, is_from_upstream=False, body_bytes=200_000, is_tls=True)["sendfile"]
    assert "TLS" in (tls.unseen or "")


def test_buffers_hold_the_answer_if_it_would_go_to_a_file(tmp_path: Path) -> None:
    text = f"server {{ {PROXY} }}"
    assert "proxy-buffers" not in ablations_of(tmp_path, text, body_bytes=30_000)
    ablation = ablations_of(tmp_path, text, body_bytes=100_000)["proxy-buffers"]
    assert ablation.receipt is Receipt.TEMP_FILES
    assert "proxy_buffers 11 16k;" in changed(tmp_path, text, "proxy-buffers", body_bytes=100_000)
    assert "proxy-buffers" not in ablations_of(tmp_path, text, body_bytes=100_000_000)
    small = "proxy_buffers 4 4k;\nproxy_busy_buffers_size 8k;\n" + text
    assert "proxy-buffers" not in ablations_of(tmp_path, small, body_bytes=100_000)


def test_uploads_show_request_buffering(tmp_path: Path) -> None:
    text = f"server {{ proxy_request_buffering off; {PROXY} }}"
    assert "--body-bytes" in (ablations_of(tmp_path, text)["request-buffering"].unseen or "")
    assert ablations_of(tmp_path, text, is_upload=True)["request-buffering"].unseen is None


@pytest.mark.parametrize(
    ("directives", "name", "after"),
    [
        ("", "ssl-session-cache", "ssl_session_cache shared:hopcost_tls:10m;"),
        ("ssl_session_cache builtin;", "ssl-session-cache", "ssl_session_cache shared:hopcost_tls:10m;"),
        ("ssl_session_tickets off;", "ssl-session-tickets", "ssl_session_tickets on;"),
    ],
)
def test_new_connections_show_tls(tmp_path: Path, directives: str, name: str, after: str) -> None:
    text = f"server {{ listen 443 ssl; {directives} {PROXY} }}"
    assert after in changed(tmp_path, text, name)
    assert "--new-connections" in (ablations_of(tmp_path, text)[name].unseen or "")
    assert ablations_of(tmp_path, text, requests_per_connection=1)[name].unseen is None


def test_http_2_is_off_for_all_servers_of_the_port(tmp_path: Path) -> None:
    old = f"server {{ listen 443 ssl http2 default_server; {PROXY} }}"
    assert "listen 443 ssl default_server;" in changed(tmp_path, old, "no-http2")
    beside = f"{old}\nserver {{ listen [::]:443 ssl http2; }}\nserver {{ listen 8443 ssl http2; }}"
    text = changed(tmp_path, beside, "no-http2")
    assert "listen [::]:443 ssl;" in text and "listen 8443 ssl http2;" in text
    new = f"server {{ listen 443 ssl; http2 on; {PROXY} }}"
    assert "http2 off;" in changed(tmp_path, new, "no-http2")
    assert "--http2" in (ablations_of(tmp_path, new)["no-http2"].unseen or "")
    ablation = ablations_of(tmp_path, new, streams=1)["no-http2"]
    assert ablation.unseen is None and ablation.receipt is Receipt.PROTOCOL and not ablation.is_offered


def test_workers_share_new_connections(tmp_path: Path) -> None:
    text = "worker_processes 2; events { multi_accept on; }\nhttp { server { listen 80; " + PROXY + " } }"
    ablations = ablations_of(tmp_path, text, requests_per_connection=1)
    assert ablations["reuseport"].unseen is None
    assert ablations["no-multi-accept"].is_offered
    assert "reuseport" not in ablations_of(tmp_path, text, workers=1)
