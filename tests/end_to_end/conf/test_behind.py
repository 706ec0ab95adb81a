"""What stands behind a configuration that `hopcost conf` measures: an app that needs a service, or speaks FastCGI."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import command
import psutil
import pytest
from processes import small_apps
from systems import conf_runs

from hopcost.machine import binaries
from hopcost.record.reader import read_record
from hopcost.stacks.sandbox import network

pytestmark = [pytest.mark.usefixtures("nothing_left"), pytest.mark.timeout(240)]
needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)
SHORT = ("--anyway", "--quick", "--connections", 8, "--time", "8s", "--record", "record", "--json")
SITE = (
    "events {}\nhttp {\n  server {\n    listen 80;\n    location / { proxy_pass http://app.internal:3000; }\n  }\n}\n"
)


def confirmed_behind(record: Path) -> list[list[str]]:
    """The hops behind nginx of each arm that was confirmed."""
    blocks = [block for block in read_record(record).blocks if block.experiment.startswith("confirmed")]
    return [part.hops[1:] for block in blocks for part in block.arms]


def measured(folder: Path, *words: object) -> dict[str, Any]:
    """The answer of a run that ended well."""
    done = command.hopcost("conf", "nginx.conf", *SHORT, *words, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@needs_namespaces
def test_what_the_app_needs_is_forwarded_and_has_its_own_share_of_cpu(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text(SITE)
    with small_apps.database() as port:
        prelude = small_apps.ASKS.replace("{port}", str(port))
        app = small_apps.write(tmp_path, small_apps.ASKS_FIRST, prelude=prelude)
        answer = measured(tmp_path, "--needs", f"127.0.0.1:{port}", "--", *app.command)
    assert answer["command"] == app.command and answer["seen"]["body_bytes"] == len("1\n")
    assert [change for change in answer["changes"] if change["confirmed"] is not None]
    behind = ["app", f"forwarder-{port}", psutil.Process().name()]  # the service is a thread of this process
    assert confirmed_behind(tmp_path / "record")
    assert all(hops == behind for hops in confirmed_behind(tmp_path / "record"))
    block = next(block for block in read_record(tmp_path / "record").blocks if block.experiment == "confirmed")
    for part in block.arms:
        assert part.totals is not None and part.totals.errors == {}
        assert all(piece.cpu_ns[hop] for piece in part.slices for hop in behind if piece.answers)


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


def test_an_app_that_speaks_fastcgi_is_measured_behind_its_configuration(tmp_path: Path) -> None:
    origin = str(binaries.require("hopcost-origin"))
    app = [origin, "--listen", "fastcgi+tcp:127.0.0.1:{port}", "--any-path", "/text/5000"]
    run = conf_runs.run_conf("fastcgi", tmp_path, "--", *app)
    conf_runs.assert_ends_well(run)
    assert run.answer["command"] == app and run.answer["seen"]["body_bytes"] == 5000
    links = {
        experiment.name: experiment.arms[0].arm.hops[1].link.value
        for experiment in read_record(run.record).plan.experiments
    }
    assert set(links.values()) == {"fastcgi+tcp"} and "confirmed" in links
    assert confirmed_behind(run.record) and all(hops == ["app"] for hops in confirmed_behind(run.record))


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
