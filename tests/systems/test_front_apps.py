"""`hopcost front` before real apps, as a person runs it: what it learns of each, what it measures, what it leaves."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import HOPCOST, environment
from processes.needed import need_program
from systems import apps
from systems.apps import DJANGO, EXPRESS, GUNICORN, THREADS, UVICORN, RealApp
from systems.database import Database
from systems.traces import Traces, noted

from hopcost.statistics.questions.front.fronts import Front

pytestmark = pytest.mark.timeout(400)  # the first test waits for all runs

AT_ONCE = 3  # an app is learned for seconds in which it does nothing
TIME_S = 12
SIZED = {"express": 45, "go": 45, "php": 45}  # time for two starts: a figure of one has no range
NAMES = ["express", "go", "uvicorn", "gunicorn", "gunicorn-threads", "django", "php"]


EXPRESS_ALL = dataclasses.replace(EXPRESS, name="express-all")


@dataclass(frozen=True)
class Run:
    """What a run of `hopcost front --json` ended with."""

    code: int
    answer: dict[str, Any]
    said: str
    traces: Traces

    @property
    def app(self) -> dict[str, Any]:
        """What was learned of the app."""
        facts: dict[str, Any] = self.answer["app"]
        return facts

    @property
    def stacks(self) -> list[str]:
        return [stack["arm"] for stack in self.answer["stacks"]]

    @property
    def not_measured(self) -> dict[str, str]:
        return {left["name"]: left["reason"] for left in self.answer["not_measured"]}


@pytest.fixture(scope="module")
def runs(shop: Database, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """`hopcost front` before each of the apps, some at a time."""
    go, php = apps.go_app(tmp_path_factory.mktemp("go")), apps.php_app()
    options = {
        EXPRESS: [],
        go: [],
        UVICORN: ["--socket", on_socket(UVICORN)],
        GUNICORN: ["--socket", on_socket(GUNICORN)],
        THREADS: [],
        DJANGO: ["--needs", shop.address],
        php: ["--fastcgi", "--port", "9000", "--connections", "4"],  # as many as it has processes
    }
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done: dict[str, Future[Run]] = {
            app.name: pool.submit(run, app, words, shop, tmp_path_factory.mktemp(app.name))
            for app, words in options.items()
        }
    return {name: future.result() for name, future in done.items()}


def on_socket(app: RealApp) -> str:
    """The app's command for a Unix socket, as one word."""
    words = " ".join(app.command)
    return words.replace("--port {port}", "--uds {socket}").replace("127.0.0.1:{port}", "unix:{socket}")


def run(app: RealApp, options: list[str], shop: Database, folder: Path) -> Run:
    """To the end, with a folder of its own for temporary files."""
    temporary = folder / "tmp"
    temporary.mkdir()
    words = ["front", "--quick", "--anyway", "--json", "--record", str(folder / "record")]
    words += ["--time", str(SIZED.get(app.name, TIME_S))]
    with (
        subprocess.Popen(
            [HOPCOST, *words, *options, "--", *app.command],
            cwd=app.folder,
            env=environment() | apps.TIDY | shop.environment() | {"TMPDIR": str(temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
        noted(process.pid, temporary) as traces,
    ):
        output, said = process.communicate(timeout=300)
    return Run(process.returncode, json.loads(output) if output else {}, said, traces)


@pytest.mark.parametrize("name", NAMES)
def test_it_ends_well_with_advice_and_a_configuration_and_leaves_nothing(runs: dict[str, Run], name: str) -> None:
    assert runs[name].code == 0, runs[name].said
    assert runs[name].traces.left() == {}
    assert runs[name].answer["failures"] == []
    assert [entry["front"] for entry in runs[name].answer["advice"]]
    assert "server {" in runs[name].answer["configuration"]


@pytest.mark.parametrize("app", [EXPRESS, UVICORN, THREADS, DJANGO], ids=lambda app: app.name)
def test_the_idle_time_out_is_the_apps_and_nginx_keeps_connections_for_less(runs: dict[str, Run], app: RealApp) -> None:
    facts = runs[app.name].app
    assert facts["keeps_connections"]
    assert app.idle_timeout_s is not None
    assert app.idle_timeout_s - 0.2 <= facts["idle_timeout_s"] < app.idle_timeout_s + 2  # Node's own buffer is 1 s
    assert facts["upstream_timeout_s"] < facts["idle_timeout_s"]
    assert "keepalive" in runs[app.name].stacks


@pytest.mark.parametrize("name", SIZED)
def test_what_upstream_keepalive_is_worth_is_found_and_has_a_size_with_a_range(runs: dict[str, Run], name: str) -> None:
    assert {"nginx", "keepalive"} <= set(runs[name].stacks)
    (advice,) = (entry for entry in runs[name].answer["advice"] if entry["front"] == "keepalive")
    assert advice["beside"] == "nginx"
    for figure in (advice["cpu"], advice["throughput"]):
        assert None not in figure.values(), "a range takes two starts"
        assert figure["low"] < figure["value"] < figure["high"]


def test_all_fronts_are_measured_or_left_out_with_a_reason(tmp_path: Path, shop: Database) -> None:
    for program in ("nginx", "haproxy", "caddy"):
        need_program(program)
    everything = run(EXPRESS_ALL, ["--with", "all"], shop, tmp_path)
    assert everything.code == 0, everything.said
    assert everything.traces.left() == {}
    assert everything.answer["failures"] == []
    measured = set(everything.stacks) - {"alone"}
    assert measured | set(everything.not_measured) == set(map(str, Front))
    assert measured.isdisjoint(everything.not_measured)
    assert measured >= {"nginx", "keepalive", "unix", "haproxy", "caddy", "tls", "http2"}
    assert "it pays from about" in everything.not_measured["gzip"]
    assert all(row["throughput_per_s"] > 0 for row in everything.answer["stacks"])


def test_go_keeps_idle_connections_for_longer_than_anybody_watches(runs: dict[str, Run]) -> None:
    assert (runs["go"].app["keeps_connections"], runs["go"].app["idle_timeout_s"]) == (True, None)
    assert "keepalive" in runs["go"].stacks


def test_where_the_app_closes_each_connection_there_is_nothing_to_keep(runs: dict[str, Run]) -> None:
    assert runs["gunicorn"].app["keeps_connections"] is False
    assert "closes each connection" in runs["gunicorn"].not_measured["keepalive"]
    assert runs["gunicorn"].stacks == ["alone", "nginx", "unix"]


@pytest.mark.parametrize("name", ["express", "uvicorn"])
def test_what_changes_in_the_head_alone_leaves_every_byte_of_the_body_compared(runs: dict[str, Run], name: str) -> None:
    assert runs[name].app["compared"] == "body"
    changing = {field.lower() for field in runs[name].app["changing"]}
    assert changing == ({"date", "x-request-id"} if name == "express" else {"date"})


def test_the_token_in_django_s_page_is_masked_and_the_rest_compared(runs: dict[str, Run]) -> None:
    assert runs["django"].app["compared"] == "masked"
    assert "Set-Cookie" in runs["django"].app["changing"]
    assert [words for words in runs["django"].app["changing"] if words.startswith("64 bytes of the body at ")]


def test_what_the_app_needs_is_forwarded_and_has_its_own_share_of_cpu(runs: dict[str, Run], shop: Database) -> None:
    assert runs["django"].app["needs"] == [shop.address]
    for stack in runs["django"].answer["stacks"]:
        assert stack["cpu_ns"][f"forwarder-{shop.port}"] > 0, stack


@pytest.mark.parametrize("name", ["express", "uvicorn", "gunicorn"])
def test_an_app_that_can_listen_on_a_unix_socket_is_measured_there(runs: dict[str, Run], name: str) -> None:
    assert "unix" in runs[name].stacks, runs[name].not_measured


def test_php_is_measured_behind_nginx_alone_and_listens_where_its_file_says(runs: dict[str, Run]) -> None:
    assert runs["php"].app["is_fastcgi"] and runs["php"].app["port"] == 9000
    assert runs["php"].app["script"] == str(apps.APPS / "php" / "index.php")
    assert runs["php"].stacks == ["nginx", "keepalive"]
    assert "unix" in runs["php"].not_measured


def test_a_database_that_is_not_named_is_asked_for(shop: Database, tmp_path: Path) -> None:
    done = subprocess.run(
        [HOPCOST, "front", "--anyway", "--record", str(tmp_path / "record"), "--", *DJANGO.command],
        cwd=DJANGO.folder,
        env=environment() | apps.TIDY | shop.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert f"--needs {shop.address}" in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing was measured"
