"""nginx itself takes every edit of every ablation and every trap, and all that is offered at once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from texts.nginx_texts import seen_load

from hopcost.nginx.ablations import find_ablations
from hopcost.nginx.edits import Edit
from hopcost.nginx.read import ConfigurationText, read_configuration
from hopcost.nginx.sites import choose_site
from hopcost.nginx.traps import find_traps

VERSION = (1, 22, 1)
MAIN = """worker_processes 2;
pid nginx.pid;
error_log error.log info;
events { worker_connections 64; multi_accept on; accept_mutex on; }
http {
    log_format short '$remote_addr $status';
    access_log access.log short;
    access_log second.log;
    client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
    gzip on; gzip_comp_level 9; gzip_types text/plain;
    keepalive_requests 10;
    proxy_cache_path cache keys_zone=pages:1m;
    map $http_upgrade $connection_upgrade { default upgrade; '' close; }
    add_header X-Outer 1;
    proxy_set_header Host $host;

    upstream pool {
        least_conn;
        server 127.0.0.1:1;
        keepalive 2;
    }
    upstream php { server 127.0.0.1:2; }

    server {
        listen 127.0.0.1:9;
        server_name a.test;
        root html;
        tcp_nopush on;
        auth_request /ask;
        set_real_ip_from 10.0.0.0/8;
        real_ip_header X-Forwarded-For;
        location = /ask { internal; proxy_pass http://127.0.0.1:3/ask; }
        location / {
            proxy_pass http://pool;
            proxy_buffering off;
            proxy_request_buffering off;
            proxy_cache pages;
            proxy_set_header X-Id $request_id;
            proxy_set_header X-Real-IP $remote_addr;
            proxy_set_header Connection $connection_upgrade;
            add_header X-Inner 1;
        }
        location /ws { proxy_pass http://pool; proxy_http_version 1.0; proxy_set_header Connection "upgrade"; }
        location /literal/ { proxy_pass https://127.0.0.1:4/x/; }
        location ~ ^/pattern { proxy_pass http://127.0.0.1:5; }
        location /if { if ($arg_a) { proxy_pass http://127.0.0.1:6; } }
        location /socket { proxy_pass http://unix:/run/none.sock:/y; }
        location ~ \\.php$ { fastcgi_pass php; }
        location /files { sub_filter a b; ssi on; charset utf-8; gzip_static on; aio threads; auth_basic x;
            auth_basic_user_file users; }
    }
}
"""


def refused(configuration: ConfigurationText, edits: list[Edit], folder: Path) -> str:
    """What nginx says against the edited configuration; nothing if it takes it."""
    text = configuration.with_edits(edits).files[configuration.main]
    for name in ("run/temp", "run/cache"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "run" / "users").touch()
    file = folder / "run" / "nginx.conf"
    file.write_text(text)
    words = ["nginx", "-t", "-q", "-p", str(file.parent), "-c", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{done.stderr}\n{text}"


@pytest.mark.parametrize(
    "known",
    [
        {"idle_timeout_s": 5.0},
        {"is_from_upstream": False, "body_bytes": 200_000, "path": "/files/a"},
        {"requests_per_connection": 1, "body_bytes": 100_000, "connections": 500, "is_upload": True},
    ],
    ids=["app", "file", "uploads"],
)
def test_nginx_takes_the_edits(tmp_path: Path, known: dict[str, object]) -> None:
    (tmp_path / "nginx.conf").write_text(MAIN)
    configuration = read_configuration(tmp_path / "nginx.conf", tmp_path / "machine")
    site, seen = choose_site(configuration), seen_load(**known)
    ablations = find_ablations(configuration, site, VERSION, seen)
    traps = find_traps(configuration, site, VERSION, seen)
    assert len(ablations) >= 15
    edits = {ablation.name: list(ablation.edits) for ablation in ablations}
    edits |= {f"trap {trap.name} {trap.place}": list(trap.edits) for trap in traps if trap.edits is not None}
    edits["all offered"] = [edit for ablation in ablations if ablation.is_offered for edit in ablation.edits]
    edits["nothing"] = []
    assert {name: said for name, one in edits.items() if (said := refused(configuration, one, tmp_path))} == {}
