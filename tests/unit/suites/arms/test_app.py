"""The user's own app in a suite file: how hops get it, its paths, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.suites.arms.app import App, Service, read_service
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.read import complete_suite, read_suite
from hopcost.suites.suite import Suite

FILE = """
name = "mine"
title = "Mine"
[apps.shop]
command = ["./serve", "--port", "{port}"]
folder = "backend"
environment = { GREETING = "hi" }
needs = ["127.0.0.1:5432", "unix:run/redis.sock"]
[arms.alone]
hops = [{ program = "shop", link = "http+tcp" }]
[arms.behind]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "shop", link = "http+tcp" }]
[[experiments]]
name = "one"
question = "What does nginx cost?"
baseline = "alone"
arms = ["alone", "behind"]
placement = "one-core"
"""


def written(folder: Path, old: str = "", new: str = "") -> str:
    assert old in FILE
    path = folder / "mine.toml"
    path.write_text(FILE.replace(old, new, 1) if old else FILE)
    return str(path)


def test_each_hop_of_its_name_gets_the_app_with_paths_from_the_suites_folder(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path))
    app = App(
        command=["./serve", "--port", "{port}"],
        folder=str(tmp_path / "backend"),
        environment={"GREETING": "hi"},
        needs=["127.0.0.1:5432", f"unix:{tmp_path}/run/redis.sock"],
    )
    (alone,), (nginx, behind) = suite.arms["alone"].hops, suite.arms["behind"].hops
    assert (alone.app, behind.app, nginx.app) == (app, app, None)
    assert suite.apps == {"shop": app}


def test_a_suite_without_a_file_is_completed_in_the_same_way() -> None:
    suite = Suite(
        name="front",
        title="Front",
        apps={"app": App(command=["./serve"])},
        arms={"alone": Arm(hops=[Hop(program="app", link=Link.HTTP_TCP)])},
        experiments=[
            Experiment(name="one", question="?", baseline="alone", arms=["alone"], placement=Placement.ONE_CORE)
        ],
    )
    once = complete_suite(suite, Path("/srv/front.toml"))
    (hop,) = once.arms["alone"].hops
    assert hop.app == App(command=["./serve"], folder="/srv")
    assert complete_suite(once, Path("/srv/front.toml")) == once


def test_a_link_in_the_folders_path_stays_one(tmp_path: Path) -> None:
    """An app may look at its working directory, and a release is often a link."""
    (tmp_path / "releases").mkdir()
    (tmp_path / "backend").symlink_to("releases")
    (hop,) = read_suite(written(tmp_path)).arms["alone"].hops
    assert hop.app is not None and hop.app.folder == str(tmp_path / "backend")


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ('needs = ["127.0.0.1:5432"', 'needs = ["postgres"',
         "apps.shop.needs[0]: 'postgres': expected HOST:PORT or unix:PATH",
         "like 127.0.0.1:5432 or unix:/run/redis/redis.sock"),
        ('hops = [{ program = "shop", link = "http+tcp" }]', 'hops = [{ program = "shop", link = "http+unix" }]',
         "arms.alone.hops[0]: shop is reached over http+unix, and it is told a port ({port})",
         "{socket} in its command is the socket's path; or give it the link http+tcp"),
        ('"{port}"', '"{socket}"',
         "arms.alone.hops[0]: shop is told a socket ({socket}), and is reached over http+tcp",
         "give it the link http+unix, or {port} in its command"),
        ('link = "http+tcp" }]', 'link = "http+tcp", app = { command = ["x"] } }]',
         "arms.alone.hops[0]: app: not in a hop", "write it as [apps.shop]"),
        ('command = ["./serve", "--port", "{port}"]', "command = []",
         "apps.shop.command: Expected `array` of length >= 1", None),
        ("GREETING", '"A=B"', "apps.shop.environment: key 'A=B': Expected `str` matching regex"
         " '^[A-Za-z_][A-Za-z0-9_]*$'", None),
        ("folder", "foldr", "apps.shop: Object contains unknown field `foldr`", "did you mean 'folder'?"),
    ],
)  # fmt: skip
def test_what_cannot_be(tmp_path: Path, old: str, new: str, message: str, hint: str | None) -> None:
    path = written(tmp_path, old, new)
    with pytest.raises(UsageError) as caught:
        read_suite(path)
    assert (caught.value.message, caught.value.hint) == (f"{path}: {message}", hint)


def test_an_app_in_a_hop_without_one_of_its_name_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, '{ program = "nginx", link = "http+tcp" }',
                   '{ program = "nginx", link = "http+tcp", app = { command = ["x"] } }')  # fmt: skip
    with pytest.raises(UsageError, match=r"arms.behind.hops\[0\]: app: not in a hop"):
        read_suite(path)


def test_a_port_of_the_hop_that_is_not_the_apps_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, 'folder = "backend"', "port = 3000")
    text = Path(path).read_text().replace('"shop", link = "http+tcp" }]', '"shop", link = "http+tcp", port = 80 }]')
    Path(path).write_text(text)
    with pytest.raises(UsageError, match="port: shop listens on 3000"):
        read_suite(path)


@pytest.mark.parametrize("word", ["", "host", "host:", ":80", "host:0", "host:65536", "host:8x", "unix:", "host:²"])
def test_words_that_are_no_service(word: str) -> None:
    with pytest.raises(UsageError, match="expected HOST:PORT or unix:PATH"):
        read_service(word)


def test_services() -> None:
    assert read_service("db:5432") == Service(host="db", port=5432)
    assert read_service("unix:/run/x.sock").is_unix and not read_service("[::1]:80").is_unix
