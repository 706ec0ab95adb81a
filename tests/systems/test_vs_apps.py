"""`hopcost vs` on real apps that run by themselves: whose processes they are, what answers share, what is left."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import HOPCOST, environment
from systems import apps
from systems.apps import DJANGO, EXPRESS, GUNICORN, THREADS, UVICORN, RealApp
from systems.database import Database
from systems.traces import Traces, noted

pytestmark = pytest.mark.timeout(300)  # the first test waits for all runs

AT_ONCE = 2
TIME_S = 12
PAIRS = {
    "node-and-uvicorn": (EXPRESS, UVICORN),
    "two-gunicorns": (GUNICORN, THREADS),
    "django-twice": (DJANGO, DJANGO),
}
PROCESSES = {"express": "node", "uvicorn": "uvicorn", "gunicorn": "gunicorn ×3", "gunicorn-threads": "gunicorn ×2"}


@dataclass(frozen=True)
class Run:
    """What a run of `hopcost vs --json` ended with, and the ports of its servers."""

    code: int
    experiment: dict[str, Any]
    said: str
    ports: list[int]
    traces: Traces


@pytest.fixture(scope="module")
def runs(shop: Database, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """`hopcost vs` on all pairs, some at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done: dict[str, Future[Run]] = {
            name: pool.submit(run, pair, shop, tmp_path_factory.mktemp(name)) for name, pair in PAIRS.items()
        }
    return {name: future.result() for name, future in done.items()}


def run(pair: tuple[RealApp, ...], shop: Database, folder: Path) -> Run:
    """Both servers are started before, as their users would; they must be there afterwards."""
    temporary = folder / "tmp"
    temporary.mkdir()
    with ExitStack() as servers:
        ports = [servers.enter_context(apps.running(app, shop.environment())) for app in pair]
        words = ["vs", "--anyway", "--time", str(TIME_S), "-c", "8", "--json", "--record", str(folder / "record")]
        with (
            subprocess.Popen(
                [HOPCOST, *words, *(f":{port}" for port in ports)],
                env=environment() | {"TMPDIR": str(temporary)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as process,
            noted(process.pid, temporary) as traces,
        ):
            output, said = process.communicate(timeout=200)
        for port in ports:
            assert apps.ask(port) == 200, "it runs as before"
    experiment = json.loads(output)["experiments"][0] if output else {}
    return Run(process.returncode, experiment, said, ports, traces)


@pytest.mark.parametrize("name", PAIRS)
def test_it_ends_well_and_leaves_nothing(runs: dict[str, Run], name: str) -> None:
    assert runs[name].code == 0, runs[name].said
    assert runs[name].traces.left() == {}
    assert runs[name].experiment["scope"] == "processes"


@pytest.mark.parametrize("name", ["node-and-uvicorn", "two-gunicorns"])
def test_the_processes_are_found_named_and_counted(runs: dict[str, Run], name: str) -> None:
    for app, port, arm in zip(PAIRS[name], runs[name].ports, runs[name].experiment["arms"], strict=True):
        assert f"localhost:{port} is {PROCESSES[app.name]} (pid" in runs[name].said
        assert arm["answers"] > 0 and sum(arm["errors"].values()) == 0, arm["errors"]
        (program,) = [name for name in arm["cpu_ns_per_request"] if name != "generator"]
        assert program == PROCESSES[app.name].partition(" ")[0]
        assert arm["cpu_ns_per_request"][program] > 0


def test_answers_of_different_apps_are_shown_as_a_difference(runs: dict[str, Run]) -> None:
    assert "their answers differ, so" in runs["node-and-uvicorn"].said
    assert '-{"items":[{"id":1' in runs["node-and-uvicorn"].said
    assert '+[{"id":1' in runs["node-and-uvicorn"].said


def test_the_same_answers_are_compared_byte_for_byte(runs: dict[str, Run]) -> None:
    assert "differ" not in runs["two-gunicorns"].said


def test_a_token_that_changes_in_each_answer_is_no_error(runs: dict[str, Run]) -> None:
    for arm in runs["django-twice"].experiment["arms"]:
        assert arm["answers"] > 0 and sum(arm["errors"].values()) == 0, arm["errors"]
