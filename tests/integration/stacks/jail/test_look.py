"""What a configuration did shows from outside: its logs grew, what it complained of, connections behind it."""

from __future__ import annotations

from pathlib import Path

from jails import arm_of, ask, running, site_of
from processes.running import wait_until

from hopcost.stacks.jail.look import JailLook, look_at
from hopcost.stacks.running.stack import RunningStack

WAIT_S = 10.0
TEXT = """\
events {{}}
http {{
    log_format short "$uri";
    access_log /srv/logs/site.log short;
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
            assert log_grows_by("/\n" * 5, stack, before)
            accepted[keepalive] = look_at(stack).since(before).accepted
            five = look_at(stack)
            assert ask(stack, "/quiet").status == 200
            assert ask(stack, "/none").status == 404
            assert log_grows_by("/none\n", stack, five)  # the one worker has written what came before: nothing
            assert any("/srv/none/none" in line for line in look_at(stack).since(five).error_lines)
    assert accepted == {"": 10, "keepalive 8;": 6}  # five of the client, and five or one of the upstream


def log_grows_by(lines: str, stack: RunningStack, before: JailLook) -> bool:
    """Whether it does, soon: nginx writes the line of a request after its answer."""
    return wait_until(lambda: look_at(stack).since(before).log_bytes["/srv/logs/site.log"] == len(lines), WAIT_S)
