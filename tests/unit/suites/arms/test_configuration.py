"""The user's own nginx.conf in a suite file: how hops get it, its paths, its host, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.programs.configuration import executable_of
from hopcost.programs.read import program_of
from hopcost.suites.arms.arm import Link
from hopcost.suites.read import complete_suite, read_suite

NGINX = """
events {}
http {
    keepalive_timeout 20s;
    upstream app { server app:3000; keepalive_timeout 3s; }
    server { listen 8080; server_name a.example.com b.example.com; location / { proxy_pass http://app; } }
}
"""
FILE = """
name = "mine"
title = "Mine"
[configurations.site]
file = "conf/nginx.conf"
port = 8080
host = "a.example.com"
[arms.direct]
hops = [{ program = "origin", link = "http+tcp" }]
[arms.site]
hops = [{ program = "site", link = "http+tcp" }, { program = "origin", link = "http+tcp" }]
[[experiments]]
name = "one"
question = "What does it cost?"
baseline = "direct"
arms = ["direct", "site"]
placement = "one-core"
"""
SECOND = """
[configurations.other]
file = "conf/nginx.conf"
port = 8080
host = "b.example.com"
[arms.other]
hops = [{ program = "other", link = "http+tcp" }]
"""


def written(folder: Path, old: str = "", new: str = "", more: str = "") -> str:
    assert old in FILE
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "conf" / "nginx.conf").write_text(NGINX)
    path = folder / "mine.toml"
    path.write_text((FILE.replace(old, new, 1) if old else FILE) + more)
    return str(path)


def test_the_hop_of_its_name_gets_it_with_its_path_and_its_idle_time_out(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path))
    front, behind = suite.arms["site"].hops
    assert front.configuration is not None and behind.configuration is None
    assert front.configuration.file == str(tmp_path / "conf" / "nginx.conf")
    assert front.configuration.idle_timeout_s == 20.0
    digest = front.configuration.digest
    (tmp_path / "conf" / "nginx.conf").write_text(NGINX.replace("20s", "30s"))
    again = complete_suite(suite, tmp_path / "mine.toml").configurations["site"]
    assert again.digest == digest is not None, "it is what the suite meant; who starts it refuses another"
    (tmp_path / "conf" / "nginx.conf").write_text(NGINX)
    assert suite.configurations == {"site": front.configuration}
    assert complete_suite(suite, tmp_path / "mine.toml") == suite


def test_requests_name_its_host_unless_they_name_another(tmp_path: Path) -> None:
    (experiment,) = read_suite(written(tmp_path)).experiments
    assert experiment.workload.headers == [["Host", "a.example.com"]]
    own = '\n[experiments.workload]\nheaders = [["host", "b.example.com"]]\n'
    (experiment,) = read_suite(written(tmp_path, more=own)).experiments
    assert experiment.workload.headers == [["host", "b.example.com"]]


def test_two_hosts_in_one_experiment_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 'arms = ["direct", "site"]', 'arms = ["direct", "site", "other"]', SECOND)
    with pytest.raises(UsageError, match=r"have different hosts: a\.example\.com, b\.example\.com"):
        read_suite(path)


def test_its_program_is_nginx_that_forwards_to_all_that_the_origin_speaks(tmp_path: Path) -> None:
    hop = read_suite(written(tmp_path, "port = 8080", 'port = 8080\nnginx = "bin/nginx"')).arms["site"].hops[0]
    program = program_of(hop)
    assert Link.HTTPS_TCP in program.links and Link.FASTCGI_UNIX in program.upstream_links
    assert program.is_origin and not program.settings
    assert hop.configuration is not None
    assert executable_of(hop.configuration) == str(tmp_path / "bin" / "nginx")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            '[{ program = "site", link = "http+tcp" }, {',
            '[{ program = "nginx", link = "http+tcp" }, { program = "site", link = "http+tcp" }, {',
            "it is the first hop, with at most one after it",
        ),
        ('{ program = "site", link', '{ program = "site", port = 80, link', "port: not with your own configuration"),
        ('{ program = "site", link', '{ program = "site", config = "x", link', "config: not with your own"),
        ("port = 8080", "port = 8081", "no site of .* is at a.example.com:8081"),
        ("conf/nginx.conf", "conf/none.conf", "none.conf does not exist"),
        ("port = 8080", "port = 0", "configurations.site.port: Expected `int` >= 1"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_suite(written(tmp_path, old, new))


def test_a_name_of_hopcosts_own_programs_is_refused(tmp_path: Path) -> None:
    path = Path(written(tmp_path))
    path.write_text(
        path.read_text().replace("configurations.site", "configurations.nginx").replace('"site", link', '"nginx", link')
    )
    hop = read_suite(str(path)).arms["site"].hops[0]
    with pytest.raises(UsageError, match=r"configurations\.nginx: a program of hopcost is called so"):
        program_of(hop)
