"""How an app is started, as the options say."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.cli.shared.requests.app import read_app, read_command, read_folder
from hopcost.errors import UsageError


def test_an_app_has_its_command_folder_port_and_variables(tmp_path: Path) -> None:
    app = read_app(["./serve"], tmp_path, 3000, ["A=1", "B=x=y", "C="], ["127.0.0.1:5432"], "2m")
    assert (app.command, app.folder, app.port) == (["./serve"], str(tmp_path), 3000)
    assert app.environment == {"A": "1", "B": "x=y", "C": ""}
    assert app.needs == ["127.0.0.1:5432"]
    assert app.ready_s == 120


@pytest.mark.parametrize("text", ["nonsense", "1=2", "=secret", "A B=secret"])
def test_what_is_no_variable_is_told_without_its_value(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="--env: expected NAME=VALUE") as caught:
        read_app(["./serve"], tmp_path, None, [text], [])
    assert "secret" not in caught.value.message


def test_the_folder_is_this_one_unless_another_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").mkdir()
    assert (read_folder(None), read_folder(Path("site"))) == (tmp_path, tmp_path / "site")
    with pytest.raises(UsageError, match=f"--folder: {tmp_path}/nowhere is no directory"):
        read_folder(Path("nowhere"))


@pytest.mark.parametrize(("text", "told"), [("node 'server.js", "No closing quotation"), (" ", "no command")])
def test_what_is_no_command(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=f"--app: {told}"):
        read_command("--app", text, "node server.js")
