"""What ties a configuration to its machine, at other places: paths, users, ports, hosts; all else stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of

from hopcost.nginx.needs.elsewhere import Elsewhere, edits_elsewhere


def moved(folder: Path, http: str, **more: object) -> str:
    """The text elsewhere, without what is added for folders that nginx was built with."""
    text = configuration_of(folder, http)
    ports = {80: 2080, 443: 2443, 8080: 2081}
    elsewhere = Elsewhere(lambda path: f"/r{path}", ports, ["app", "log.example"], 2, **more)  # type: ignore[arg-type]
    return text.with_edits(edits_elsewhere(text, elsewhere)).files[text.main]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("access_log /var/log/a.log main;", "access_log /r/var/log/a.log main;"),
        ("access_log logs/a.log;", "access_log /r/usr/share/nginx/logs/a.log;"),
        ("access_log off;", "access_log off;"),
        ("access_log /dev/stdout;", "access_log /dev/stdout;"),
        ("access_log syslog:server=log.example,tag=a;", "access_log syslog:server=127.0.0.1,tag=a;"),
        ("ssl_certificate ssl/a.pem;", "ssl_certificate /r/etc/nginx/ssl/a.pem;"),
        ("ssl_certificate_key /etc/ssl/a.key;", "ssl_certificate_key /r/etc/ssl/a.key;"),
        ("ssl_certificate data:$pem;", "ssl_certificate data:$pem;"),
        ("ssl_dhparam dh.pem;", "ssl_dhparam /r/etc/nginx/dh.pem;"),
        ("auth_basic_user_file users;", "auth_basic_user_file /r/etc/nginx/users;"),
        ("proxy_cache_path /var/cache/x keys_zone=a:1m;", "proxy_cache_path /r/var/cache/x keys_zone=a:1m;"),
        ('root "/srv/my site";', 'root "/r/srv/my site";'),
        ("root /srv/www/$host;", "root /r/srv/www/$host;"),
        ("resolver app 8.8.8.8 valid=1s;", "resolver 127.0.0.1 8.8.8.8 valid=1s;"),
        ("add_header X /srv/www;", "add_header X /srv/www;"),
    ],
)
def test_paths_and_hosts(tmp_path: Path, line: str, wanted: str) -> None:
    assert wanted in moved(tmp_path, line)


def test_a_variable_that_folders_begin_with_is_moved_where_it_is_set(tmp_path: Path) -> None:
    text = moved(
        tmp_path, "server { listen 80; set $base /srv/a; set $public $base/p; set $other /x; root $public/html; }"
    )
    assert "set $base /r/srv/a; set $public $base/p; set $other /x; root $public/html;" in text


@pytest.mark.parametrize(
    ("listens", "wanted"),
    [
        ("listen 80 default_server;", "listen 127.0.0.1:2080 default_server;"),
        ("listen 80; listen [::]:80 ipv6only=on;", "listen 127.0.0.1:2080; "),
        ("listen [::]:443 ssl ipv6only=on;", "listen 127.0.0.1:2443 ssl ;"),
        ("listen 10.0.0.1:80; listen *:80;", "listen 127.0.0.1:2080; "),
        ("listen 443 ssl; listen 443 quic;", "listen 127.0.0.1:2443 ssl; "),
        ("listen unix:/run/a.sock;", "listen unix:/r/run/a.sock;"),
        ("server_name a;", "listen 127.0.0.1:2080;"),
    ],
)
def test_each_server_listens_once_per_port_on_the_loopback(tmp_path: Path, listens: str, wanted: str) -> None:
    text = moved(tmp_path, f"server {{ {listens} location / {{ return 200; }} }}")
    assert wanted in text
    assert "[::]" not in text and "quic" not in text and "10.0.0.1" not in text


def test_upstreams_of_a_name_are_this_machine(tmp_path: Path) -> None:
    text = moved(
        tmp_path,
        "upstream u { server app:3000 weight=2; server application:1; }"
        " server { listen 80; location / { proxy_pass http://app/app; } location /u { proxy_pass http://u; } }",
    )
    assert "server 127.0.0.1:3000 weight=2; server application:1;" in text
    assert "proxy_pass http://127.0.0.1/app;" in text and "proxy_pass http://u;" in text


def test_what_nginx_was_built_to_use_is_said_on_the_line_of_the_brace(tmp_path: Path) -> None:
    http = "proxy_temp_path /tmp/p;\nserver { listen 80; }"
    plain = moved(tmp_path, http, without=["--without-http_scgi_module"])
    assert "client_body_temp_path /r/var/lib/nginx/client_body_temp;" in plain
    assert "access_log /r/var/log/nginx/access.log;" in plain
    assert "proxy_temp_path /r/tmp/p;" in plain and "proxy_temp_path /r/var" not in plain and "scgi" not in plain
    text = configuration_of(tmp_path, http)
    assert plain.count("\n") == text.files[text.main].count("\n")
