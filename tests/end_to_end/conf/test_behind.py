"""An app behind a configuration that `hopcost conf` measures: what it needs, what it answers, whether it is asked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import command
import pytest
from processes import small_apps

from hopcost.stacks.sandbox import network

pytestmark = [pytest.mark.usefixtures("nothing_left"), pytest.mark.timeout(240)]
needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)
SHORT = ("--anyway", "--quick", "--connections", 8, "--time", "8s", "--record", "record", "--json")
SITE = (
    "events {}\nhttp {\n  server {\n    listen 80;\n    location / { proxy_pass http://app.internal:3000; }\n  }\n}\n"
)


def measured(folder: Path, *words: object) -> dict[str, Any]:
    """The answer of a run that ended well."""
    done = command.hopcost("conf", "nginx.conf", *SHORT, *words, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@needs_namespaces
def test_a_service_that_is_not_named_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text(SITE)
    with small_apps.database() as port:
        prelude = small_apps.ASKS.replace("{port}", str(port))
        app = small_apps.write(tmp_path, small_apps.ASKS_FIRST, prelude=prelude)
        done = command.hopcost("conf", "nginx.conf", *SHORT, "--", *app.command, folder=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"--needs 127.0.0.1:{port}" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "record").exists()


def test_a_change_to_which_the_app_answers_otherwise_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text(SITE.replace("proxy_pass", "proxy_set_header X-Tenant a; proxy_pass"))
    app = small_apps.write(tmp_path, small_apps.WANTS_TENANT)
    answer = measured(tmp_path, "--", *app.command)
    left_out = {
        change["candidate"]["name"]: change["why"] for change in answer["changes"] if change["worth"] == "left out"
    }
    assert left_out == {"no-proxy-headers": "the app answers 500 with it, not 200"}
    assert [change for change in answer["changes"] if change["confirmed"] is not None]


def test_an_app_behind_a_site_that_passes_nothing_on_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text('events {}\nhttp { server { listen 80; return 200 "ok"; } }\n')
    done = command.hopcost("conf", "nginx.conf", *SHORT, "--", sys.executable, "app.py", folder=tmp_path)
    assert done.returncode == 2 and "passes no request to an app" in done.stderr, done.stderr
    assert "hint: " in done.stderr and not (tmp_path / "record").exists()
