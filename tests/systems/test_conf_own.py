"""`hopcost conf` on our own twelve configurations and before real apps: a table, and a diff that starts."""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import command
import pytest
from known import known
from systems import apps, conf_runs
from systems.apps import DJANGO
from systems.conf_runs import ConfRun
from systems.database import Database

from hopcost.record.reader import read_record

pytestmark = pytest.mark.timeout(900)  # the first test waits for all runs

AT_ONCE = 3
CONNECTIONS = 4  # as many as PHP-FPM has processes
BEFORE_PHP = (
    "events {{}}\nhttp {{\n  server {{\n    listen 80;\n    location / {{\n      fastcgi_pass php.internal:9000;\n"
    "      include fastcgi_params;\n      fastcgi_param SCRIPT_FILENAME {script};\n    }}\n  }}\n}}\n"
)
BEFORE_DJANGO = (
    "events {}\nhttp {\n  upstream shop { server 127.0.0.1:8000; }\n  server {\n    listen 80;\n"
    "    location / { proxy_pass http://shop; proxy_set_header Host localhost; }\n  }\n}\n"
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ConfRun]:
    """All of the twelve, some at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        started: dict[str, Future[ConfRun]] = {
            name: pool.submit(run, name, tmp_path_factory.mktemp(name)) for name in conf_runs.names()
        }
    return {name: future.result() for name, future in started.items()}


def run(name: str, folder: Path) -> ConfRun:
    """With a folder of its own for temporary files."""
    temporary = folder / "tmp"
    temporary.mkdir()
    return conf_runs.run_conf(name, folder, temporary=temporary)


@pytest.mark.parametrize("name", conf_runs.names())
def test_each_ends_in_a_table_and_a_diff_that_starts(runs: dict[str, ConfRun], name: str) -> None:
    conf_runs.assert_ends_well(runs[name])
    assert known(runs[name].traces).left() == {}


def test_most_of_them_end_in_a_diff(runs: dict[str, ConfRun]) -> None:
    """Which ones is chance for changes that save little; these lack what saves much, or have a trap that is mended."""
    with_diff = {name for name, run in runs.items() if run.answer.get("diff") is not None}
    assert with_diff >= {"few-kept-connections", "limited"}


def test_a_limit_is_switched_off_in_all_arms_and_told(runs: dict[str, ConfRun]) -> None:
    limited = runs["limited"]
    assert "off in all arms: limit_" in limited.said and limited.answer["limits_switched_off"]


def test_a_php_app_is_measured_behind_its_configuration(tmp_path: Path) -> None:
    script = apps.APPS / "php" / "index.php"
    (tmp_path / "nginx.conf").write_text(BEFORE_PHP.format(script=script))
    app = apps.php_app()
    words = ("--folder", app.folder, "--port", 9000, "--connections", CONNECTIONS, "--", *app.command)
    answer = conf(tmp_path, *words)
    assert answer["seen"]["content_type"] == "text/html; charset=UTF-8"
    plan = json.loads((tmp_path / "record" / "plan.json").read_text())
    behind = {experiment["name"]: experiment["arms"][0]["arm"]["hops"][1] for experiment in plan["experiments"]}
    assert (behind["confirmed"]["program"], behind["confirmed"]["link"]) == ("app", "fastcgi+tcp")


def test_an_app_with_a_database_is_measured_behind_its_configuration(shop: Database, tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text(BEFORE_DJANGO)
    environment = [word for pair in shop.environment().items() for word in ("--env", "=".join(pair))]
    words = ("--folder", DJANGO.folder, "--needs", shop.address, *environment, "--connections", CONNECTIONS)
    answer = conf(tmp_path, *words, "--", *DJANGO.command)
    assert "Set-Cookie" in answer["seen"]["changing"], "a new token for each visitor"
    confirmed = [block for block in read_record(tmp_path / "record").blocks if block.experiment == "confirmed"]
    assert confirmed
    forwarder = f"forwarder-{shop.port}"
    for part in (part for block in confirmed for part in block.arms):
        assert part.hops[1:] == ["app", forwarder], "processes that come and go, as PostgreSQL has them, are no hop"
        assert part.totals is not None and part.totals.errors == {}
        assert all(piece.cpu_ns[hop] for piece in part.slices for hop in part.hops if piece.answers)


def conf(folder: Path, *words: object) -> dict[str, Any]:
    """The answer of a run that ended well, with a change that was confirmed."""
    short = ("--anyway", "--quick", "--time", "8s", "--json", "--record", "record")
    done = command.hopcost("conf", "nginx.conf", *short, *words, folder=folder, extra=apps.TIDY)
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert [change for change in answer["changes"] if change["confirmed"] is not None], answer
    return answer
