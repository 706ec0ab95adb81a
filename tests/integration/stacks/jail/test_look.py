"""What a configuration did shows from outside: its logs grew, what it complained of, connections behind it."""

from __future__ import annotations

from pathlib import Path

from jails import arm_of, ask, running, site_of

from hopcost.stacks.jail.look import look_at

TEXT = """\
events {{}}
http {{
    access_log /srv/logs/site.log;
    upstream app {{ server app:3000; {keepalive} }}
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    server {{
        listen 80;
        location / {{ proxy_pass http://app; }}
        location /quiet {{ access_log off; proxy_pass http://app; }}
        location /none {{ root /srv/none; }}
    }}
}}
"""


def test_logs_grow_and_connections_are_counted(tmp_path: Path) -> None:
    accepted = {}
    for keepalive in ("", "keepalive 8;"):
        file = tmp_path / "nginx.conf"
        file.write_text(TEXT.format(keepalive=keepalive))
        with running(arm_of(*site_of(file))) as stack:
            before = look_at(stack)
            for _ in range(5):
                assert ask(stack, "/").status == 200
            seen = look_at(stack).since(before)
            assert seen.log_bytes["/srv/logs/site.log"] > 5 * 50
            accepted[keepalive] = seen.accepted
            quiet = look_at(stack)
            ask(stack, "/quiet")
            assert look_at(stack).since(quiet).log_bytes["/srv/logs/site.log"] == 0
            assert ask(stack, "/none").status == 404
            assert any("/srv/none/none" in line for line in look_at(stack).since(quiet).error_lines)
    assert accepted == {"": 10, "keepalive 8;": 6}  # five of the client, and five or one of the upstream
