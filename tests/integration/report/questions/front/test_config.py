"""The configuration to take, as the programs that it is for read it."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
from known import known
from mocks import fronts
from mocks.mock_rig import MockRig
from places import ROOT
from processes.needed import need_program

from hopcost.programs.receipt import HOMES, installed
from hopcost.statistics.questions.front.fronts import Front
from hopcost.statistics.questions.front.result import FrontResult
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload

FASTCGI_PARAMS = ROOT / "src" / "hopcost" / "programs" / "shipped" / "nginx" / "fastcgi_params"
AROUND = textwrap.dedent(  # what Debian's nginx.conf has around its conf.d, with all that is written in one folder
    """
    pid nginx.pid;
    error_log stderr;
    events { }
    http {
        access_log off;
        client_body_temp_path client-body;
        proxy_temp_path proxy;
        fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi;
        scgi_temp_path scgi;
        include conf.d/*.conf;
    }
    """
)
PHP = {"is_fastcgi": True, "upstream_timeout_s": None}
SCRIPT = {"script": "/srv/app/index.php"}


@pytest.fixture
def answer(rig: MockRig, tmp_path: Path) -> FrontResult:
    """Of an app behind each front; a cache saves most."""
    return fronts.express(rig, tmp_path, "keepalive,unix,haproxy,caddy,cache")


def accepted(program: str, folder: Path, *words: str) -> str:
    """What the program says of a configuration in this folder; the test fails if it does not take it."""
    need_program(program)
    homes = dict.fromkeys(HOMES, str(folder))
    command = [known(installed(program).path), *words]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | homes, capture_output=True, text=True, timeout=60, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


def accepted_by_nginx(text: str, folder: Path) -> None:
    """In a folder that has of the system's what the text names; nginx has nothing to remark on it."""
    (folder / "conf.d").mkdir()
    (folder / "cache").mkdir()
    (folder / "nginx.conf").write_text(AROUND)
    (folder / "fastcgi_params").write_bytes(FASTCGI_PARAMS.read_bytes())
    assert "listen 80;" in text
    own = text.replace("listen 80;", "listen unix:listen.sock;").replace("/var/cache", str(folder / "cache"))
    (folder / "conf.d" / "app.conf").write_text(f"{own}\n")
    said = accepted("nginx", folder, "-t", "-p", f"{folder}/", "-e", "stderr", "-c", "nginx.conf")
    assert re.findall(r"\[(?:warn|error|crit|alert|emerg)\].*", said) == [], own


def with_cache(text: str) -> str:
    """With the lines of the cache, which are comments."""
    lines, number = re.subn(r"(?m)^( *)# ((?:proxy|fastcgi)_cache)", r"\1\2", text)
    assert number >= 3
    return lines


@pytest.mark.parametrize(
    ("best", "facts"),
    [
        (Front.NGINX, {}),
        (Front.KEEPALIVE, {}),
        (Front.KEEPALIVE, {"port": 8080, "idle_timeout_s": None, "upstream_timeout_s": 7}),
        (Front.UNIX, {}),
        (Front.NGINX, PHP | SCRIPT),
        (Front.KEEPALIVE, PHP | SCRIPT),
        (Front.UNIX, PHP),
    ],
    ids=["nginx", "http", "patient", "unix", "fastcgi", "fastcgi kept", "fastcgi unix"],
)
def test_nginx_takes_it_with_the_cache_and_without(
    answer: FrontResult, tmp_path: Path, best: Front, facts: dict[str, Any]
) -> None:
    text = fronts.taken(answer, best, **facts).text
    for name, lines in (("printed", text), ("cached", with_cache(text))):
        (tmp_path / name).mkdir()
        accepted_by_nginx(lines, tmp_path / name)


def test_nginx_takes_uploads_above_its_limit(rig: MockRig, tmp_path: Path) -> None:
    large = Workload(method=Method.POST, body_bytes=3 << 20)
    text = fronts.taken(fronts.express(rig, tmp_path, "nginx,keepalive", workload=large)).text
    assert "client_max_body_size 3m;" in text
    (tmp_path / "large").mkdir()
    accepted_by_nginx(text, tmp_path / "large")


@pytest.mark.parametrize("facts", [{}, {"port": 8080, "idle_timeout_s": None, "upstream_timeout_s": None}])
def test_haproxy_takes_it(answer: FrontResult, tmp_path: Path, facts: dict[str, Any]) -> None:
    file = fronts.taken(answer, Front.HAPROXY, **facts)
    (tmp_path / file.name).write_text(f"{file.text}\n")
    said = accepted("haproxy", tmp_path, "-c", "-f", file.name)
    assert re.findall(r"\[(?:WARNING|ALERT)\].*", said) == []


@pytest.mark.parametrize("facts", [{}, {"port": 8080, "idle_timeout_s": None, "upstream_timeout_s": None}])
def test_caddy_takes_it(answer: FrontResult, tmp_path: Path, facts: dict[str, Any]) -> None:
    file = fronts.taken(answer, Front.CADDY, **facts)
    (tmp_path / file.name).write_text(f"{file.text}\n")
    assert "Valid configuration" in accepted("caddy", tmp_path, "validate", "--config", file.name)
