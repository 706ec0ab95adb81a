"""Settings of an arm as words on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.programs import changes
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link

ARM = Arm(
    hops=[
        Hop(program="nginx", link=Link.HTTP_TCP, settings={"gzip": True}),
        Hop(program="go-hello", link=Link.HTTP_TCP),
    ]
)


@pytest.mark.parametrize(
    ("word", "hop", "settings"),
    [
        ("nginx.access_log=on", 0, {"gzip": True, "access_log": True}),
        ("nginx.gzip=off", 0, {"gzip": False}),
        ("nginx.gzip=false", 0, {"gzip": False}),
        ("nginx.worker_processes=cores", 0, {"gzip": True, "worker_processes": "cores"}),
        ("nginx.worker_processes=2", 0, {"gzip": True, "worker_processes": 2}),
        ("nginx.keepalive_timeout_s=0", 0, {"gzip": True, "keepalive_timeout_s": 0}),
        ("nginx.content=static", 0, {"gzip": True, "content": "static"}),
        ("go-hello.heap_mib=20", 1, {"heap_mib": 20}),
    ],
)
def test_a_word_sets_what_it_says_in_its_hop_alone(word: str, hop: int, settings: dict[str, bool | int | str]) -> None:
    changed = changes.change_settings(ARM, [word], "--after")
    assert changed.hops[hop].settings == settings
    assert changed.hops[1 - hop] == ARM.hops[1 - hop]


def test_later_words_win_and_nothing_given_changes_nothing() -> None:
    assert changes.change_settings(ARM, [], "--after") == ARM
    words = ["nginx.gzip=off", "go-hello.heap_mib=1", "nginx.gzip=on"]
    assert changes.change_settings(ARM, words, "--after").hops[0].settings == {"gzip": True}


def test_files_become_absolute_paths_of_the_hop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("new.conf").write_text("events {}")
    changed = changes.change_settings(ARM, ["nginx.config=new.conf", "go-hello.binary=./new.conf"], "--after")
    assert changed.hops[0].config == changed.hops[1].binary == str(tmp_path / "new.conf")


@pytest.mark.parametrize(
    ("word", "message", "hint"),
    [
        ("nginx.gzip", "expected PROGRAM.SETTING=VALUE", "as in nginx.access_log=on"),
        ("gzip=on", "expected PROGRAM.SETTING=VALUE", "as in nginx.access_log=on"),
        ("nginx.gzip=", "expected PROGRAM.SETTING=VALUE", "as in nginx.access_log=on"),
        ("ngin.gzip=on", "no hop of the arm is the program 'ngin'", "did you mean 'nginx'?"),
        ("nginx.gzp=on", "nginx has no setting 'gzp'", "did you mean 'gzip'?"),
        ("nginx.confg=x", "nginx has no setting 'confg'", "did you mean 'config'?"),
        ("nginx.server_tokens=off", "nginx has no setting 'server_tokens'", "nginx.config=FILE takes a configuration"),
        ("nginx.gzip=maybe", 'expected true or false, got "maybe"', "write nginx.gzip=on or nginx.gzip=off"),
        ("nginx.worker_processes=-1", "expected a whole number from 1", "as in nginx.worker_processes=cores"),
        ("nginx.worker_processes=2.5", "expected a whole number from 1", "as in nginx.worker_processes=cores"),
        ("go-hello.config=new.conf", "go-hello has no configuration file", "known: "),
        ("nginx.content=statc", 'expected "fixed" or "static" or "lua"', "did you mean 'static'?"),
        ("nginx.config=gone.conf", "gone.conf: no such file", "working directory"),
    ],
)
def test_a_word_that_fits_nothing_says_what_would(word: str, message: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        changes.change_settings(ARM, [word], "--before")
    assert caught.value.message.startswith(f"--before {word}: ") and message in caught.value.message
    assert caught.value.hint is None if hint is None else hint in (caught.value.hint or "")


def an_app(folder: Path) -> Arm:
    """nginx before an app of two files, in `folder`; `folder/branch` has another one."""
    for place in (folder, folder / "branch"):
        place.mkdir(exist_ok=True)
        for name in ("start", "serve"):
            (place / name).write_text("#!/bin/sh\n")
            (place / name).chmod(0o755)
    app = App(command=["./start", "--port", "{port}"], folder=str(folder), environment={"MODE": "production"})
    return Arm(hops=[Hop(program="nginx", link=Link.HTTP_TCP), Hop(program="shop", link=Link.HTTP_TCP, app=app)])


def app_of(arm: Arm) -> App:
    app = arm.hops[1].app
    assert app is not None
    return app


def test_an_app_is_started_in_another_folder_and_a_link_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arm = an_app(tmp_path)
    Path("current").symlink_to("branch")
    app = app_of(changes.change_settings(arm, ["shop.folder=current"], "--after"))
    assert app.folder == str(tmp_path / "current")
    assert (app.command, app.environment) == (app_of(arm).command, app_of(arm).environment)
    assert app_of(arm).folder == str(tmp_path), "the other side keeps its own"


def test_an_app_is_started_by_another_command_whose_words_are_split_as_a_shell_does(tmp_path: Path) -> None:
    words = ["shop.command=./serve --name 'a shop' $HOME; --port={port}"]
    app = app_of(changes.change_settings(an_app(tmp_path), words, "--after"))
    assert app.command == ["./serve", "--name", "a shop", "$HOME;", "--port={port}"], "no shell sees them"


@pytest.mark.parametrize(
    ("word", "message", "hint"),
    [
        ("shop.folder=gone", "gone: no such folder", "working directory"),
        ("shop.folder=start", "start: no such folder", "working directory"),
        ("shop.command='./serve", "No closing quotation", "close each quote"),
        ("shop.command= ", "no command", "as in shop.command='node server.js'"),
        ("shop.command=./gone", "there is no './gone' in ", "install it"),
        ("shop.config=start", "shop has no setting 'config'", "known: binary, command, folder"),
        ("shop.foldr=branch", "shop has no setting 'foldr'", "did you mean 'folder'?"),
        ("nginx.folder=branch", "nginx has no setting 'folder'", "nginx.config=FILE"),
    ],
)
def test_a_change_of_an_app_that_cannot_be_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, message: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        changes.change_settings(an_app(tmp_path), [word], "--after")
    assert caught.value.message.startswith(f"--after {word}: ") and message in caught.value.message
    assert hint in (caught.value.hint or "")
