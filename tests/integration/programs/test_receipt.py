"""Whether a program is installed: its version command is the receipt."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.programs import NEEDING, NGINX_LIKE, define, define_needing, define_proxy, script

from hopcost.errors import UsageError
from hopcost.programs.definition.definition import Installed
from hopcost.programs.receipt import find_executable, installed

pytestmark = pytest.mark.usefixtures("own_programs")


def test_a_program_that_prints_its_version_is_there(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    path = script(tmp_path, "my-proxy", 'test "$1" = -v && echo "this is proxy/1.22 of debian"')
    assert installed("proxy") == Installed(path=str(path), version="1.22")


def test_a_version_on_standard_error_counts(tmp_path: Path) -> None:
    """nginx -v."""
    define_proxy(tmp_path)
    script(tmp_path, "my-proxy", "echo proxy/2.0 >&2; exit 1")
    assert installed("proxy").version == "2.0"


def test_a_missing_executable_has_its_remedy(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    receipt = installed("proxy")
    assert receipt == Installed(missing="'my-proxy' is not installed", remedy="apt-get install proxy")


def test_a_file_that_cannot_be_executed_is_not_installed(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    script(tmp_path, "my-proxy", "echo proxy/1").chmod(0o644)
    assert installed("proxy").missing == "'my-proxy' is not installed"


def test_a_program_without_a_version_is_missing(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    path = script(tmp_path, "my-proxy", "echo something else")
    receipt = installed("proxy")
    assert receipt == Installed(missing=f"{path} -v printed no version", remedy="apt-get install proxy")


def test_a_file_of_another_format_is_missing_with_the_systems_words(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    path = script(tmp_path, "my-proxy", "")
    path.write_bytes(b"\x7fELF but not really")
    receipt = installed("proxy")
    assert receipt.version is None and receipt.missing is not None
    assert "Exec format error" in receipt.missing


def test_servers_are_found_where_an_ordinary_path_does_not_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = script(tmp_path, "my-proxy", "echo proxy/1.1")
    monkeypatch.setenv("PATH", "/usr/bin")
    assert find_executable("my-proxy") is None
    assert find_executable("my-proxy", system_folders=[str(tmp_path / "bin")]) == path


def test_what_a_setting_needs_is_missing_only_where_it_is_set(tmp_path: Path) -> None:
    define_needing(tmp_path)
    receipt = installed("proxy")
    assert receipt.missing is None
    assert receipt.under({"content": "fixed"}).version == "1.2.3"
    assert receipt.under({}).version == "1.2.3"
    lacking = receipt.under({"content": "lua", "workers": 1})
    assert lacking.missing == f"proxy needs {tmp_path}/nowhere.so with content = 'lua', which is not there"
    assert lacking.remedy == "apt-get install lua"
    (tmp_path / "lua.so").touch()
    installed.cache_clear()
    assert installed("proxy").under({"content": "lua"}).needs == {"lua": str(tmp_path / "lua.so")}


def test_without_what_it_always_needs_a_program_is_missing(tmp_path: Path) -> None:
    define_needing(tmp_path, NEEDING.replace('when = {{ content = "lua" }}\n', ""))
    receipt = installed("proxy")
    assert receipt.missing == f"proxy needs {tmp_path}/nowhere.so, which is not there"
    assert (receipt.path, receipt.remedy) == (None, "apt-get install lua")


@pytest.mark.parametrize(
    ("least", "old"), [("", False), ("1.2.3", False), ("1.1.9", False), ("1.2.4", True), ("1.10", True)]
)
def test_a_version_that_is_too_old_is_missing(tmp_path: Path, least: str, old: bool) -> None:
    script(tmp_path, "my-proxy", "echo proxy/1.2.3")
    define(tmp_path, "proxy", f'version_least = "{least}"\n' + NGINX_LIKE.format(executable="my-proxy"))
    missing = installed("proxy").missing
    assert missing == (f"{tmp_path}/bin/my-proxy has version 1.2.3, {least} is needed at least" if old else None)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("gone", "proxy: binary: .*gone: no such file"),
        ("plain", "proxy: binary: .*plain is not executable"),
        ("silent", "proxy: binary: .*silent -v printed no version"),
    ],
)
def test_a_binary_that_is_not_the_program_is_a_usage_error(tmp_path: Path, file: str, message: str) -> None:
    define(tmp_path, "proxy", NGINX_LIKE.format(executable="proxy"))
    for name, mode in (("plain", 0o644), ("silent", 0o755)):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(mode)
    with pytest.raises(UsageError, match=message):
        installed("proxy", str(tmp_path / file))


def test_a_binary_is_asked_in_place_of_the_installed_program(tmp_path: Path) -> None:
    define(tmp_path, "proxy", NGINX_LIKE.format(executable="proxy"))
    (tmp_path / "new").write_text("#!/bin/sh\necho proxy/2.0\n")
    (tmp_path / "new").chmod(0o755)
    assert installed("proxy").missing == "'proxy' is not installed"
    assert installed("proxy", str(tmp_path / "new")) == Installed(path=str(tmp_path / "new"), version="2.0")


def test_a_version_command_leaves_nothing_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`caddy version` makes ~/.step."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("STEPPATH", raising=False)
    define_proxy(
        tmp_path, str(script(tmp_path, "my-proxy", 'mkdir "$HOME/.step" "$STEPPATH/certs" && echo proxy/1.22'))
    )
    assert installed("proxy").version == "1.22"
    assert list(home.iterdir()) == []
