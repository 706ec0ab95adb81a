"""`hopcost conf` as a person runs it, on configurations of our own with real nginx."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import command
import psutil
import pytest
from jails import arm_of, ask, running, site_of
from places import ROOT

OWN = ROOT / "tests" / "support" / "configurations"
SHORT = ("--anyway", "--quick", "--connections", 16, "--time", "8s", "--record", "record")
APP = textwrap.dedent(
    """
    import sys
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class App(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            body = b"<p>hello</p>" * 20
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), App).serve_forever()
    """
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the configuration whose upstream keeps two connections."""
    shutil.copytree(OWN / "few-kept-connections", tmp_path / "site")
    return tmp_path / "site"


def texts(folder: Path) -> dict[str, bytes]:
    """All files of a configuration."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "record" not in path.parts}


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(240)
def test_a_pool_of_two_is_found_and_mended_and_the_files_stay_as_they_are(folder: Path) -> None:
    before = texts(folder)
    done = command.hopcost("conf", "nginx.conf", *SHORT, "--diff", "../worth.diff", folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert texts(folder) == before
    words = " ".join(done.stdout.split())
    assert words.startswith("hopcost conf - nginx.conf") and "measured with --anyway" in words
    assert "No verdict: as measured" in words
    diff = (folder.parent / "worth.diff").read_text()
    assert "-        keepalive 2;" in diff and "\n+        keepalive " in diff
    patched = folder.parent / "patched"
    shutil.copytree(folder, patched, ignore=shutil.ignore_patterns("record"))
    subprocess.run(["patch", "-p0", "--quiet", "--input", folder.parent / "worth.diff"], cwd=patched, check=True)
    assert texts(patched) != before
    with running(arm_of(*site_of(patched / "nginx.conf"))) as stack:  # its limits as they are
        assert ask(stack).status == 200, stack.last_lines("mine")
        assert stack.failure() is None
    assert command.hopcost("report", "record", folder=folder).stdout == done.stdout
    assert command.hopcost("report", "record", "--diff", folder=folder).stdout == diff


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(240)
def test_it_is_confirmed_before_the_users_app(folder: Path) -> None:
    (folder / "app.py").write_text(APP)
    done = command.hopcost(
        "conf", "nginx.conf", *SHORT, "--json", "--port", 3000, "--", sys.executable, "app.py", "3000", folder=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["command"] == [sys.executable, "app.py", "3000"]
    assert answer["seen"]["body_bytes"] == 240
    confirmed = [change for change in answer["changes"] if change["confirmed"] is not None]
    assert 1 <= len(confirmed) <= 3
    record = json.loads((folder / "record" / "plan.json").read_text())
    behind = {
        experiment["name"]: [hop["program"] for hop in experiment["arms"][0]["arm"]["hops"]][1:]
        for experiment in record["experiments"]
    }
    assert set(behind) >= {"giants", "confirmed"}
    assert behind["giants"] == ["origin"] and behind["confirmed"] == ["app"]


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(240)
def test_stopped_in_the_middle_it_tells_what_is_known(folder: Path) -> None:
    with command.start("conf", "nginx.conf", *SHORT[:4], "--record", "record", folder=folder) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(("conf: rest", "conf: confirmed")):
                break
        os.killpg(process.pid, signal.SIGINT)
        shown, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert "one start" in shown and "keepalive" in shown
    again = command.hopcost("report", "record", folder=folder)
    assert again.returncode == 0 and again.stdout == shown


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(240)
def test_ctrl_c_while_the_file_is_tried_in_its_jail_leaves_nothing(folder: Path) -> None:
    with command.start("conf", "nginx.conf", *SHORT, folder=folder) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "changes are tried" in line:
                break
        harness = psutil.Process(process.pid)
        wait_until(lambda: "nginx" in names_of(harness.children(recursive=True)), "no nginx was started")
        started = harness.children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "nothing was measured" in errors and "Traceback" not in errors
    assert names_of(psutil.wait_procs(started, timeout=30)[1]) == []
    assert [path.name for path in folder.iterdir() if path.name.startswith("record")] == []


def names_of(processes: Iterable[psutil.Process]) -> list[str]:
    """Those that still run, by name."""
    names = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            names.append(process.name())
    return names


def wait_until(is_so: Callable[[], bool], otherwise: str) -> None:
    """Half a minute at most."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(240)
def test_killed_in_the_middle_its_record_still_tells(folder: Path) -> None:
    with command.start("conf", "nginx.conf", *SHORT[:4], "--record", "record", folder=folder) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(("conf: rest", "conf: confirmed")):
                break
        process.kill()
    again = command.hopcost("report", "record", folder=folder)
    assert again.returncode == 0, again.stderr
    assert "one start" in again.stdout and "keepalive" in again.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can lay rights down")
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.timeout(240)
def test_without_the_right_to_make_a_jail_a_rewritten_copy_is_measured(folder: Path) -> None:
    before = texts(folder)
    done = command.hopcost(
        *("conf", "nginx.conf", *SHORT, "--json"),
        folder=folder,
        before=["setpriv", "--bounding-set=-sys_admin", "--"],
        extra={"HOPCOST_USER_NAMESPACE": "1"},  # it does not try one
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "on a copy, which is rewritten" in done.stderr
    assert texts(folder) == before
    answer = json.loads(done.stdout)
    assert any("no jail can be made" in note for note in answer["jail"])
    assert "keepalive" in answer["kept"] and "-        keepalive 2;" in answer["diff"]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("events {}\nhttp {\n  server {\n    listen ${PORT};\n  }\n}\n", "nginx.conf:4", "render"),
        ("events {}\nhttp {\n  include missing.conf;\n}\n", "missing.conf", ""),
        ("events {}\nhttp {\n  server { listen 80 }\n}\n", "nginx.conf:3", ""),
        ("sites-available/default\n", "", ""),
        ("events {}\nhttp {\n  server { listen 80; return 301 https://$host$request_uri; }\n}\n", "only redirects", ""),
        ("events {}\nhttp {\n}\n", "has no `server`", ""),
    ],
    ids=["template", "missing include", "no semicolon", "link as text", "redirects", "no server"],
)
@pytest.mark.usefixtures("nothing_left")
def test_a_file_that_cannot_be_measured_ends_with_the_next_step(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    (tmp_path / "nginx.conf").write_text(text)
    done = command.hopcost("conf", "nginx.conf", *SHORT, folder=tmp_path)
    assert done.returncode in (1, 2, 3), done.stdout + done.stderr
    assert message in done.stderr and "hint: " in done.stderr and hint in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["nginx.conf"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "hopcost conf needs a configuration"),
        (["ngnix.conf"], "ngnix.conf: no such file"),
        (["nginx.conf", "--path", "x"], "--path: expected a path from /"),
        (["nginx.conf", "--site", "a:b"], "--site: expected HOST:PORT"),
        (["nginx.conf", "--site", "nobody.example"], "nobody.example"),
        (["nginx.conf", "--new-connections=x"], "--new-connections: expected a number"),
        (["nginx.conf", "--diff", "nginx.conf"], "never written"),
        (["nginx.conf", "--nginx", "no-such-nginx"], "no-such-nginx"),
        (["nginx.conf", "--record", "."], "exists and is not an empty directory"),
        (["nginx.conf", "--time", "x"], "--time"),
        (["nginx.conf", "--body-file", "nowhere"], "--body-file nowhere: no such file"),
        (["nginx.conf", "-H", "nonsense"], "-H: expected 'NAME: VALUE'"),
    ],
)
def test_a_wrong_word_is_told_before_anything_runs(folder: Path, words: list[str], message: str) -> None:
    done = command.hopcost("conf", *words, folder=folder)
    assert done.returncode in (2, 3) and message in done.stderr, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and not (folder / "records").exists()
