"""The user's own app in a suite: measured behind nginx with a service of the host, tried by hand, gated; gone after."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import command
import msgspec
import psutil
import pytest
from processes import small_apps
from processes.freezers import leavings

from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.network import TRIED
from hopcost.suites.arms.app import App

pytestmark = pytest.mark.usefixtures("nothing_left")
needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)
WAIT_S = 60.0
SUITE = """
name = "own"
title = "My app"
[apps.shop]
{app}
[arms.alone]
hops = [{{ program = "shop", link = "http+tcp" }}]
[arms.nginx]
hops = [
  {{ program = "nginx", link = "http+tcp", settings = {{ worker_processes = 1 }} }},
  {{ program = "shop", link = "http+tcp" }},
]
[[experiments]]
name = "one-core"
question = "What does nginx cost my app?"
baseline = "alone"
arms = ["alone", "nginx"]
placement = "one-core"
workload = {{ connections = 4 }}
open_loop = false
"""


def suite(folder: Path, app: App) -> Path:
    path = folder / "my.toml"
    keys = {"command": app.command, "needs": app.needs, "version": app.version} | (
        {"port": app.port} if app.port else {}
    )
    path.write_text(SUITE.format(app="\n".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())))
    return path


def asking(folder: Path, port: int, *needs: str) -> App:
    prelude = small_apps.ASKS.replace("{port}", str(port))
    return msgspec.structs.replace(
        small_apps.write(folder, small_apps.ASKS_FIRST, prelude=prelude), needs=list(needs), version="7"
    )


@needs_namespaces
def test_a_run_counts_the_app_nginx_and_the_way_to_its_service(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with small_apps.database() as port:
        path = suite(tmp_path, asking(tmp_path, port, f"127.0.0.1:{port}"))
        done = command.hopcost("run", path, "--quick", "--anyway", "--time", "20s", "--record", record, "--details")
    assert done.returncode == 0, done.stdout + done.stderr
    block = json.loads((record / "blocks.jsonl").read_text().splitlines()[0])
    behind = ["shop", f"forwarder-{port}", Path(sys.executable).name]  # the service is a program of Python too
    assert {arm["name"]: arm["hops"] for arm in block["arms"]} == {
        "alone": behind,
        "nginx": ["nginx", *behind],
        "alone-aa": behind,
    }
    for arm in block["arms"]:
        assert arm["totals"]["errors"] == {} or not any(arm["totals"]["errors"].values())
        assert all(piece["cpu_ns"][hop] > 0 for piece in arm["slices"] for hop in arm["hops"] if piece["answers"])
    words = " ".join(done.stdout.split())
    assert f"all stacks share 127.0.0.1:{port}" in words and "shop 7" in words
    (again,) = [command.hopcost("report", record, "--html", tmp_path / "report.html")]
    assert again.returncode == 0 and "app.py" in (tmp_path / "report.html").read_text()


def test_show_has_the_command_to_paste(tmp_path: Path) -> None:
    path = suite(tmp_path, small_apps.write(tmp_path, small_apps.BY_WORD, "{port}"))
    done = command.hopcost("show", f"{path}/one-core/nginx")
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if "app.py" in line)
    assert line.startswith(f"  $ cd {tmp_path} && taskset --cpu-list ") and " env PORT=" in line
    port = line.split("PORT=")[1].split()[0]
    assert line.endswith(f"app.py {port}") and f"127.0.0.1:{port}" in done.stdout.split("/nginx.conf:")[1]


def test_up_starts_it_behind_nginx_and_leaves_nothing(tmp_path: Path) -> None:
    path = suite(tmp_path, small_apps.write(tmp_path, small_apps.BY_VARIABLE))
    with command.start("up", f"{path}/one-core/nginx", folder=tmp_path) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not (lines and lines[-1].startswith("Ctrl-C")):
            line = process.stdout.readline()
            assert line, process.communicate()
            lines.append(line)
        url = next(line.split()[1] for line in lines if line.startswith("URL:"))
        answered = subprocess.run(["curl", "-s", "--max-time", "10", url], capture_output=True, text=True, check=True)
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
    assert answered.stdout == "hello\n"
    assert psutil.wait_procs(family, timeout=WAIT_S)[1] == []


@needs_namespaces
def test_after_kill_9_neither_app_nor_forwarder_is_left(tmp_path: Path, nothing_left: Path) -> None:
    record = tmp_path / "record"
    with small_apps.database() as port:
        path = suite(tmp_path, asking(tmp_path, port, f"127.0.0.1:{port}"))
        with command.start("run", path, "--anyway", "--time", 60, "--record", record, folder=tmp_path) as process:
            deadline = time.monotonic() + WAIT_S
            family: list[psutil.Process] = []
            while "hopcost-engine" not in {name_of(each) for each in family}:
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < deadline
                time.sleep(0.02)
                family = psutil.Process(process.pid).children(recursive=True)
            assert "hopcost-forward" in {name_of(each) for each in family}
            process.kill()
            process.communicate()
        assert psutil.wait_procs(family, timeout=WAIT_S)[1] == []
    while leavings(nothing_left) and time.monotonic() < deadline + WAIT_S:
        time.sleep(0.01)


def name_of(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return ""


def test_without_namespaces_a_port_of_its_own_cannot_be_measured(tmp_path: Path) -> None:
    app = msgspec.structs.replace(small_apps.write(tmp_path, small_apps.ON_PORT_3000), port=3000)
    done = command.hopcost(
        *("run", suite(tmp_path, app), "--quick", "--anyway", "--time", 5, "--record", tmp_path / "record"),
        before=["setpriv", "--bounding-set=-sys_admin", "--"] if os.geteuid() == 0 else [],
        extra={TRIED: "1"},
    )
    assert done.returncode == 3
    assert "stacks alone and nginx both ask for port 3000, and they run at the same time" in done.stderr


def test_a_gate_compares_two_builds_of_an_app(tmp_path: Path) -> None:
    path = suite(tmp_path, small_apps.write(tmp_path, small_apps.BY_VARIABLE))
    new = tmp_path / "new"
    new.write_text('#!/bin/sh\nexec python3 "$@"\n')
    new.chmod(0o755)
    record = tmp_path / "record"
    done = command.hopcost(
        *("gate", f"{path}/one-core/alone", "--after", "shop.binary=./new", "--anyway", "--time", "8s"),
        *("--record", record),
        folder=tmp_path,
    )
    assert done.returncode in (0, 1, 4), done.stderr
    commands = {
        arm: json.loads((record / "stacks" / "gate" / arm / "commands.json").read_text())[0]["command"][0]
        for arm in ("before", "after")
    }
    assert commands["after"] == str(new) and commands["before"] != str(new)


def test_a_gate_compares_two_folders_of_an_app_and_hides_what_its_command_holds(tmp_path: Path) -> None:
    branch = tmp_path / "branch"
    branch.mkdir()
    app = small_apps.write(tmp_path, small_apps.BY_VARIABLE)
    small_apps.write(branch, small_apps.BY_VARIABLE)
    path, record = suite(tmp_path, app), tmp_path / "record"
    done = command.hopcost(
        *("gate", f"{path}/one-core/alone", "--after", "shop.folder=branch"),
        *("--after", f"shop.command={shlex.quote(sys.executable)} app.py --token=s3cret-Value.42"),
        *("--anyway", "--time", "8s", "--record", record),
        folder=tmp_path,
    )
    assert done.returncode in (0, 1, 4), done.stderr
    shown = "".join(done.stdout.split())  # a long path wraps anywhere
    assert f"shop.folder:{tmp_path}->{branch}" in shown
    assert "s3cret" not in done.stdout + done.stderr
    texts = [file.read_text(errors="replace") for file in record.rglob("*") if file.is_file()]
    assert [text for text in texts if "s3cret" in text] == []
    arms = json.loads((record / "suite.json").read_text())["arms"]
    assert [arms[side]["hops"][0]["app"]["folder"] for side in ("before", "after")] == [str(tmp_path), str(branch)]


def test_a_missing_executable_leaves_its_arms_out(tmp_path: Path) -> None:
    done = command.hopcost("run", suite(tmp_path, App(command=["./gone"])), "--quick", "--anyway")
    assert done.returncode == 3
    assert "there is no './gone' in" in done.stderr


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user every other test runs in a user namespace")
def test_in_a_user_namespace_its_service_is_reached_too(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with small_apps.database() as port:
        done = command.hopcost(
            *("run", suite(tmp_path, asking(tmp_path, port, f"localhost:{port}")), "--quick", "--anyway", "--time", 5),
            *("--record", record),
            before=["setpriv", "--bounding-set=-sys_admin", "--"],
        )
    assert done.returncode == 0, done.stderr
    content = json.loads((record / "environment.json").read_text())
    assert content["network_namespaces"] is True
    block = json.loads((record / "blocks.jsonl").read_text().splitlines()[0])
    assert [arm["surroundings"]["network"] for arm in block["arms"]] == ["own"] * 3
    assert all(arm["totals"]["answers"] > 0 and f"forwarder-{port}" in arm["hops"] for arm in block["arms"])
