"""The whole way: 300 simulated and 30 real records through keep, history, gate and the page, on both databases."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import command
import pytest
from histories.served import served
from histories.simulated import ARM, EXPERIMENT, SUITE, simulated_history, spread_around
from processes.needed import need
from systems import database
from systems.database import connected
from texts import suite_files

SIMULATED, REAL = 300, 30
AT_ONCE = 100  # records on one command line
MADE_UP, SMALL = f"{SUITE}/{EXPERIMENT}/{ARM}", "small/links/unix"


@pytest.fixture(scope="module", name="folder")
def make_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`simulated/`, with a step of a tenth in the middle, and `real/`."""
    folder = tmp_path_factory.mktemp("records")
    half = SIMULATED // 2
    simulated_history(
        folder / "simulated", spread_around([0.5] * half + [0.45] * half, 0.01), labels={"branch": "main"}
    )
    suite = suite_files.write(folder)
    for number in range(REAL):
        record = folder / "real" / f"{number:02}"
        done = command.hopcost("run", suite, "--quick", "--time", 2, "--anyway", "--quiet", "--record", record)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """What `--database` is given."""
    if request.param == "sqlite":
        yield str(tmp_path / "history.sqlite")
        return
    need(None if database.programs() else "not installed: PostgreSQL; tools/setup systems installs it")
    with database.running() as server:
        with connected(server) as connection:
            connection.execute("CREATE DATABASE history")
        yield f"postgresql://shop@/history?host={server.socket.parent}&port={server.port}"


def read(address: str) -> str:
    with urllib.request.urlopen(address) as answer:
        return str(answer.read().decode())


@pytest.mark.timeout(3600)
def test_a_folder_of_records_goes_all_the_way(place: str, folder: Path) -> None:
    asked = ("--database", place)
    records = sorted(path.parent for kind in ("simulated", "real") for path in (folder / kind).glob("*/run.json"))
    assert len(records) == SIMULATED + REAL
    for begin in range(0, len(records), AT_ONCE):
        done = command.hopcost("keep", *records[begin : begin + AT_ONCE], *asked)
        assert done.returncode == 0, done.stderr
    again = command.hopcost("keep", *records[-3:], *asked)
    assert again.stdout.count("already kept: ") == 3

    told = json.loads(command.hopcost("history", MADE_UP, "--json", *asked).stdout)
    ((trend,), half) = told["trends"], SIMULATED // 2
    (change,) = trend["changes"]
    assert change["after"] == trend["points"][half]["record"] and change["ratio"]["high"] < 0.95
    rows = command.hopcost("history", SMALL, "--format", "csv", *asked).stdout.splitlines()
    assert len(rows) == 1 + REAL
    text = command.hopcost("history", MADE_UP, *asked).stdout
    assert "behind is slower since" in text  # where signs are ASCII, the chart is too

    gate = ("gate", MADE_UP, "--against", "history", *asked)
    codes = [command.hopcost(*gate, "--margin", margin).returncode for margin in ("8%", "0.5%")]
    assert codes == [0, 4]
    assert command.hopcost("gate", SMALL, "--against", "history", *asked).returncode == 4, "no verdict with --anyway"

    with served(place, folder) as site:
        assert f"{SIMULATED + REAL} records" in read(f"{site}/")
        page = read(f"{site}/history?suite={SUITE}&experiment={EXPERIMENT}&arm={ARM}")
        assert "<svg" in page and "slower since" in page
        for point in trend["points"][:: SIMULATED // 4]:
            assert "A made-up suite" in read(f"{site}/records/{point['record']}")
