"""`hopcost front` and `hopcost init` as a person runs them, on an app of Python's standard library."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import command
import pytest
from processes.running import descendants, gone, wait_until

from hopcost.record.contents.run import StopReason
from hopcost.record.reader import read_record

APP = textwrap.dedent(
    """
    import os, socket, sys, time
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class App(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            status, body = 200, b'{"hello": "world"}'
            if self.path == "/broken":
                status = 500
            if self.path == "/login":
                status = 401
            self.send_response(302 if self.path == "/moved" else status)
            if self.path == "/moved":
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    ThreadingHTTPServer.request_queue_size = 128
    port = sys.argv[1] if len(sys.argv) > 1 else os.environ["PORT"]
    if port.isdigit() or len(sys.argv) == 1:  # in PORT it takes no path
        ThreadingHTTPServer(("127.0.0.1", int(port)), App).serve_forever()
    time.sleep(4)  # as on a machine that does more meanwhile than it did at the first start
    class OnSocket(ThreadingHTTPServer):
        address_family = socket.AF_UNIX
        def server_bind(self):
            self.socket.bind(self.server_address)
    App.disable_nagle_algorithm = False
    OnSocket(port, App).serve_forever()
    """
)
SHORT = ("--anyway", "--connections", 4, "--time", "20s")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the app."""
    (tmp_path / "app.py").write_text(APP)
    return tmp_path


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(180)
def test_it_learns_says_the_time_measures_and_ends_with_a_configuration(folder: Path) -> None:
    done = command.hopcost(
        "front", *SHORT, "--record", "record", "--", sys.executable, "app.py", "{port}", folder=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 fronts, " in done.stderr and "until" in done.stderr
    assert "not measured: unix: nothing tells the app a socket's path" in done.stderr
    words = " ".join(done.stdout.split())
    assert words.startswith("hopcost front - ") and "As measured nginx adds" in words
    assert "upstream keepalive: " in words and "server 127.0.0.1:3000;" in words
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert command.hopcost("report", "record", folder=folder).stdout == done.stdout


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(180)
def test_a_port_of_its_own_is_found_and_told(folder: Path) -> None:
    done = command.hopcost(
        "front", *SHORT, "--with", "copies", "--json", "--", sys.executable, "app.py", "3999", folder=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "it listens on port 3999 whatever it is told" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["app"]["port"] == 3999 and [row["arm"] for row in answer["stacks"]] == ["alone", "nginx"]
    assert [left["name"] for left in answer["not_measured"]] == ["copies"]
    assert "server 127.0.0.1:3999;" in answer["configuration"]


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(180)
def test_http2_stands_beside_http1_over_tls(folder: Path) -> None:
    words = ("--http2", "--streams", 5, "--with", "nginx", "--quick", "--json", "--record", "record")
    done = command.hopcost("front", *SHORT, *words, "--", sys.executable, "app.py", "{port}", folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert [row["arm"] for row in answer["stacks"]] == ["alone", "nginx", "tls", "http2"]
    record = read_record(folder / "record")
    arms = {arm.name: (arm.arm, planned) for planned in record.plan.experiments for arm in planned.arms}
    links = {name: arm.hops[0].link.value for name, (arm, _) in arms.items() if len(arm.hops) > 1}
    assert links == {"nginx": "http+tcp", "tls": "https+tcp", "http2": "http2+tls"}
    assert {name: arms[name][1].requests_at_a_time(name) for name in ("tls", "http2")} == {"tls": 4, "http2": 20}
    for part in (part for block in record.blocks for part in block.arms):
        assert part.totals is not None and part.totals.errors == {} and part.totals.answers > 0, part.name


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(180)
def test_the_suite_is_written_and_run_accepts_it(folder: Path) -> None:
    done = command.hopcost(
        "front", "--connections", 4, "--suite", "mine.toml", "--", sys.executable, "app.py", folder=folder
    )
    assert done.returncode == 0 and "next:    hopcost run mine.toml" in done.stdout, done.stdout + done.stderr
    assert "not measured: unix: told a socket's path" in done.stderr
    assert not (folder / "records").exists()
    ran = command.hopcost(
        "run", "./mine.toml", "--quick", "--time", "6s", "--anyway", "--record", "record", folder=folder
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "keepalive" in ran.stdout


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(180)
def test_an_app_may_take_longer_to_listen_on_a_socket_than_on_a_port(folder: Path) -> None:
    app = (sys.executable, "app.py")
    on_socket = ("--socket", f"{sys.executable} app.py {{socket}}")
    done = command.hopcost(
        "front", "--connections", 4, "--suite", "mine.toml", *on_socket, "--", *app, "{port}", folder=folder
    )
    assert done.returncode == 0 and "not measured" not in done.stderr, done.stderr
    assert "http+unix" in (folder / "mine.toml").read_text()


@pytest.mark.parametrize(
    ("path", "words"),
    [("/broken", "500"), ("/login", "Authorization"), ("/moved", "/elsewhere")],
)
@pytest.mark.usefixtures("nothing_left")
def test_an_answer_that_cannot_be_measured_ends_with_the_next_step(folder: Path, path: str, words: str) -> None:
    done = command.hopcost("front", *SHORT, "--path", path, "--", sys.executable, "app.py", "{port}", folder=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert words in done.stderr and "hint: " in done.stderr and "Traceback" not in done.stderr
    assert not (folder / "records").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "hopcost front needs the command that starts your app"),
        (["--with", "varnish", "--", "true"], "no front is called 'varnish'"),
        (["--path", "x", "--", "true"], "--path: expected a path from /"),
        (["-H", "nonsense", "--", "true"], "-H: expected 'NAME: VALUE'"),
        (["--env", "nonsense", "--", "true"], "--env: expected NAME=VALUE"),
        (["--script", "x.php", "--", "true"], "--script: without --fastcgi"),
        (["--folder", "nowhere", "--", "true"], "is no directory"),
        (["--method", "POST", "--", "true"], "--body-bytes"),
        (["--body-bytes", "10", "--", "true"], "--body-bytes: a GET carries no body"),
        (["-H", "Connection: close", "--", "true"], "hopcost's own to send"),
        (["--socket", "gunicorn", "--", "true"], "--socket: the command has no {socket}"),
        (["--", "no-such-program-here"], "no-such-program-here"),
    ],
)
def test_a_wrong_word_is_told_before_anything_runs(tmp_path: Path, words: list[str], message: str) -> None:
    done = command.hopcost("front", *words, folder=tmp_path)
    assert done.returncode in (2, 3) and message in done.stderr, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and list(tmp_path.iterdir()) == []


def test_a_record_that_is_there_is_refused_before_the_app_starts(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "run.json").write_text("{}")
    words = ["--record", "taken", "--", sys.executable, "-c", "open('started', 'w')"]
    done = command.hopcost("front", *words, folder=tmp_path)
    assert done.returncode == 2 and "taken: exists and is not an empty directory" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@pytest.mark.usefixtures("nothing_left")
def test_an_app_that_ends_shows_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("print('no licence'); raise SystemExit(7)")
    done = command.hopcost("front", "--", sys.executable, "app.py", folder=tmp_path)
    assert done.returncode == 1 and "no licence" in done.stderr and "exit code 7" in done.stderr


@pytest.mark.usefixtures("nothing_left")
def test_interrupted_while_it_learns_it_says_so_and_leaves_nothing(folder: Path) -> None:
    with command.start("front", *SHORT, "--", sys.executable, "app.py", "{port}", folder=folder) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "idle connection" in line:
                break
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted while the app was learned: nothing was measured" in errors
    assert not (folder / "records").exists()


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(240)
def test_interrupted_while_it_measures_it_tells_what_is_known(folder: Path) -> None:
    words = ("--anyway", "--connections", 4, "--time", "2m", "--with", "nginx", "--record", "record")
    with command.start("front", *words, "--", sys.executable, "app.py", "{port}", folder=folder) as process:
        blocks = folder / "record" / "blocks.jsonl"
        assert wait_until(lambda: blocks.exists() and b"\n" in blocks.read_bytes(), within_s=150)
        family = descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        shown, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert gone(family), "the app, its front and the engine"
    record = read_record(folder / "record")
    assert record.blocks and {ending.why for ending in record.run.endings} == {StopReason.INTERRUPTED}
    assert "interrupted: results so far" in shown and "nginx" in shown
    assert command.hopcost("report", "record", folder=folder).stdout == shown


def test_a_new_suite_is_accepted_and_never_overwrites(tmp_path: Path) -> None:
    done = command.hopcost("init", folder=tmp_path)
    assert done.returncode == 0 and "next:    hopcost run ./hopcost.toml" in done.stdout
    again = command.hopcost("init", folder=tmp_path)
    assert again.returncode == 2 and "hopcost.toml is there, and stays as it is" in again.stderr
    shown = command.hopcost("show", "./hopcost.toml/one-core/nginx", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr


@pytest.mark.usefixtures("nothing_left")
def test_a_new_suite_runs_as_it_is(tmp_path: Path) -> None:
    assert command.hopcost("init", "mine.toml", folder=tmp_path).returncode == 0
    done: subprocess.CompletedProcess[str] = command.hopcost(
        "run", "./mine.toml", "--quick", "--time", "5s", "--anyway", folder=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nginx" in done.stdout
