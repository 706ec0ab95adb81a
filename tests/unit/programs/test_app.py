"""The user's own app as a program: its receipt without running it, and what it can be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.programs.app import receipt_of_app
from hopcost.programs.read import program_of
from hopcost.programs.receipt import receipt_of
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Hop, Link


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_an_executable_on_the_path_is_found_before_one_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve = executable(tmp_path / "bin" / "serve")
    executable(tmp_path / "app" / "serve")
    monkeypatch.setenv("PATH", str(serve.parent))
    receipt = receipt_of_app(App(command=["serve"], folder=str(tmp_path / "app"), version="7"))
    assert (receipt.path, receipt.version, receipt.missing) == (str(serve), "7", None)


def test_a_word_that_is_not_on_the_path_is_sought_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve = executable(tmp_path / "serve")
    monkeypatch.setenv("PATH", "/nowhere")
    assert receipt_of_app(App(command=["serve"], folder=str(tmp_path))).path == str(serve)


def test_the_apps_own_path_counts(tmp_path: Path) -> None:
    serve = executable(tmp_path / "bin" / "serve")
    app = App(command=["serve"], folder=str(tmp_path), environment={"PATH": str(serve.parent)})
    assert receipt_of_app(app).path == str(serve)


def test_a_link_is_called_by_its_own_path(tmp_path: Path) -> None:
    """Python finds its virtual environment by it."""
    executable(tmp_path / "python3.11")
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "python").symlink_to(tmp_path / "python3.11")
    receipt = receipt_of_app(App(command=["venv/python"], folder=str(tmp_path)))
    assert receipt.path == str(tmp_path / "venv" / "python")


def test_what_is_not_there_says_where_it_was_sought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (tmp_path / "text").write_text("no program")
    missing = {
        word: receipt_of_app(App(command=[word], folder=str(tmp_path))).missing for word in ("serve", "./serve", "text")
    }
    assert missing == {
        "serve": f"there is no 'serve' on the PATH or in {tmp_path}",
        "./serve": f"there is no './serve' in {tmp_path}",
        "text": f"{tmp_path}/text is not executable",
    }
    gone = receipt_of_app(App(command=["x"], folder=str(tmp_path / "gone")))
    assert gone.missing == f"its folder {tmp_path}/gone is not there"


def test_a_binary_of_the_hop_takes_the_first_words_place(tmp_path: Path) -> None:
    new = executable(tmp_path / "new")
    hop = Hop(program="shop", link=Link.HTTP_TCP, app=App(command=["./old"], folder=str(tmp_path)), binary=str(new))
    assert receipt_of(hop).path == str(new)


def test_an_app_is_an_origin_whose_processes_come_and_go() -> None:
    program = program_of(Hop(program="shop", link=Link.HTTP_TCP, app=App(command=["x"], idle_timeout_s=5)))
    assert (program.is_origin, program.forks, program.idle_timeout_s, program.settings) == (True, True, 5, {})
    assert Link.HTTPS_TCP not in program.links and Link.FASTCGI_UNIX in program.links


def test_a_name_of_hopcosts_own_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        program_of(Hop(program="nginx", link=Link.HTTP_TCP, app=App(command=["x"])))
    assert caught.value.message == "apps.nginx: a program of hopcost is called so"


def test_a_command_in_quotes_is_told_to_come_without(tmp_path: Path) -> None:
    quoted = receipt_of_app(App(command=["nodex server.js"], folder=str(tmp_path)))
    assert quoted.remedy == "without the quotes: -- nodex server.js"
    other = receipt_of_app(App(command=["no such", "word"], folder=str(tmp_path)))
    assert other.remedy == "install it, or write its whole path"
