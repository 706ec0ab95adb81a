"""Programs: their settings, whether they are there, and how they are built. Programs here are folders of the test."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hopcost import program
from hopcost.errors import CannotMeasure, UsageError
from hopcost.program import Installed

NGINX_LIKE = """
name = "proxy"
title = "a proxy"
executable = "{executable}"
links = ["http+tcp"]
command = ["{{{{ executable }}}}"]
version_command = ["{{executable}}", "-v"]
version_pattern = 'proxy/(\\S+)'
install = "apt-get install proxy"

[settings.workers]
kind = "cores"
default = "cores"
doc = "how many"

[settings.keepalive]
kind = "count"
default = 300
doc = "idle connections"

[settings.logging]
kind = "switch"
default = false
doc = "an access log"
"""

BUILT = """
name = "built"
title = "built from source"
links = ["http+tcp"]
command = ["{{ executable }}"]
version_command = ["{executable}", "-v"]
version_pattern = 'built (\\S+)'
install = "install a shell, then: hopcost build built"

[build]
tool = "sh"
command = ["sh", "make.sh", "{output}"]
sources = ["make.sh"]
"""


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs, the PATH and the user's cache are this test's alone."""
    for folder in ("programs", "bin", "cache"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(program, "PROGRAMS", tmp_path / "programs")
    monkeypatch.setattr(program, "SYSTEM_FOLDERS", [])
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program.load.cache_clear()
    program.installed.cache_clear()
    yield
    program.load.cache_clear()
    program.installed.cache_clear()


def define(tmp_path: Path, name: str, definition: str, **files: str) -> None:
    folder = tmp_path / "programs" / name
    folder.mkdir(exist_ok=True)
    (folder / "program.toml").write_text(definition)
    for file, text in files.items():
        (folder / file.replace("_", ".")).write_text(text)
    program.load.cache_clear()
    program.installed.cache_clear()


def script(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def define_proxy(tmp_path: Path, executable: str = "my-proxy") -> None:
    define(tmp_path, "proxy", NGINX_LIKE.format(executable=executable))


def built_files(tmp_path: Path) -> list[Path]:
    return sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file())


# Settings


def test_settings_are_defaults_overlaid_with_what_is_given(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    resolve = program.load("proxy").resolve_settings
    assert resolve({}, 4, "arm x") == {"workers": 4, "keepalive": 300, "logging": False}
    assert resolve({"workers": 2, "logging": True}, 4, "arm x") == {"workers": 2, "keepalive": 300, "logging": True}
    assert resolve({"workers": "cores", "keepalive": 1}, 8, "arm x") == {"workers": 8, "keepalive": 1, "logging": False}


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        ({"worker": 1}, "arm x: proxy has no setting 'worker'", "did you mean 'workers'?"),
        ({"zzz": 1}, "arm x: proxy has no setting 'zzz'", "known: keepalive, logging, workers"),
        ({"workers": 0}, "arm x: proxy.workers: expected a whole number from 1, or \"cores\", got 0", None),
        ({"workers": -2}, "arm x: proxy.workers: expected a whole number from 1, or \"cores\", got -2", None),
        ({"workers": "all"}, 'arm x: proxy.workers: expected a whole number from 1, or "cores", got "all"', None),
        ({"workers": True}, "arm x: proxy.workers: expected a whole number from 1, or \"cores\", got true", None),
        ({"keepalive": "cores"}, 'arm x: proxy.keepalive: expected a whole number from 1, got "cores"', None),
        ({"keepalive": False}, "arm x: proxy.keepalive: expected a whole number from 1, got false", None),
        ({"logging": 1}, "arm x: proxy.logging: expected true or false, got 1", None),
        ({"logging": "on"}, 'arm x: proxy.logging: expected true or false, got "on"', None),
    ],
)  # fmt: skip
def test_a_setting_that_does_not_fit_is_named(tmp_path: Path, given, message, hint) -> None:
    define_proxy(tmp_path)
    with pytest.raises(UsageError) as caught:
        program.load("proxy").resolve_settings(given, 4, "arm x")
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_program_without_settings_says_so(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh="")
    with pytest.raises(UsageError) as caught:
        program.load("built").resolve_settings({"workers": 1}, 4, "arm x")
    assert caught.value.hint == "built has no settings"


CLUSTER = (
    NGINX_LIKE
    + """
[settings.manager]
kind = "choice"
choices = ["node", "pm2"]
default = "node"
doc = "who keeps the processes"

[settings.instances]
kind = "cores"
default = "cores"
doc = "processes"
when = {{ manager = "pm2" }}
"""
)


def test_a_setting_is_refused_where_it_has_no_effect(tmp_path: Path) -> None:
    define(tmp_path, "proxy", CLUSTER.format(executable="my-proxy"))
    resolve = program.load("proxy").resolve_settings
    assert resolve({}, 4, "arm x")["instances"] == 4
    assert resolve({"manager": "pm2", "instances": 2}, 4, "arm x")["instances"] == 2
    for given in ({"instances": 4}, {"instances": "cores", "manager": "node"}):
        with pytest.raises(UsageError) as caught:
            resolve(given, 4, "arm x")
        assert caught.value.message == 'arm x: proxy.instances has no effect with manager = "node"'
        assert caught.value.hint == 'set manager = "pm2" there too, or leave instances out'


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ('{{ manger = "pm2" }}', "settings.instances.when: manger: no setting is called so"),
        ('{{ manager = "pm3" }}', 'settings.instances.when: manager: expected "node" or "pm2", got "pm3"'),
    ],
)
def test_a_setting_cannot_depend_on_what_is_not_there(tmp_path: Path, when, message) -> None:
    define(tmp_path, "proxy", CLUSTER.replace('{{ manager = "pm2" }}', when).format(executable="my-proxy"))
    with pytest.raises(UsageError, match=message):
        program.load("proxy")


# Definitions


def test_an_unknown_program_gets_the_nearest(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    define(tmp_path, "built", BUILT, make_sh="")
    assert program.names() == ["built", "proxy"]
    with pytest.raises(UsageError) as caught:
        program.load("proxi")
    assert caught.value.message == "no program is called 'proxi'"
    assert caught.value.hint == "did you mean 'proxy'?"


def test_a_definition_that_does_not_fit_names_file_and_key(tmp_path: Path) -> None:
    define(tmp_path, "proxy", NGINX_LIKE.format(executable="x").replace('doc = "how many"', 'dok = "how many"'))
    with pytest.raises(UsageError) as caught:
        program.load("proxy")
    place = tmp_path / "programs" / "proxy" / "program.toml"
    assert caught.value.message == f"{place}: settings.workers: Object contains unknown field `dok`"
    assert caught.value.hint == "did you mean 'doc'?"


# Receipts: no version, no program


def test_a_program_that_prints_its_version_is_there(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    path = script(tmp_path, "my-proxy", 'test "$1" = -v && echo "this is proxy/1.22 of debian"')
    assert program.installed("proxy") == Installed(path=str(path), version="1.22")


def test_a_version_on_standard_error_counts(tmp_path: Path) -> None:
    """nginx -v."""
    define_proxy(tmp_path)
    script(tmp_path, "my-proxy", "echo proxy/2.0 >&2; exit 1")
    assert program.installed("proxy").version == "2.0"


def test_bytes_that_are_no_text_are_no_bug(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    script(tmp_path, "my-proxy", "printf '\\377 proxy/3.1'")
    assert program.installed("proxy").version == "3.1"
    define(tmp_path, "built", BUILT, make_sh="printf 'no \\377 luck'; exit 1\n")
    with pytest.raises(CannotMeasure, match="no \N{REPLACEMENT CHARACTER} luck"):
        program.build("built")


def test_a_missing_executable_has_its_remedy(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    receipt = program.installed("proxy")
    assert receipt == Installed(missing="'my-proxy' is not installed", remedy="apt-get install proxy")


def test_a_file_that_cannot_be_executed_is_not_installed(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    script(tmp_path, "my-proxy", "echo proxy/1").chmod(0o644)
    assert program.installed("proxy").missing == "'my-proxy' is not installed"


def test_a_program_without_a_version_is_missing(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    path = script(tmp_path, "my-proxy", "echo something else")
    receipt = program.installed("proxy")
    assert receipt == Installed(missing=f"{path} -v printed no version", remedy="apt-get install proxy")


def test_a_file_of_another_format_is_missing_with_the_systems_words(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    path = script(tmp_path, "my-proxy", "")
    path.write_bytes(b"\x7fELF but not really")
    receipt = program.installed("proxy")
    assert receipt.version is None and receipt.missing is not None
    assert "Exec format error" in receipt.missing


def test_servers_are_found_where_an_ordinary_path_does_not_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    define_proxy(tmp_path)
    path = script(tmp_path, "my-proxy", "echo proxy/1.1")
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setattr(program, "SYSTEM_FOLDERS", [str(tmp_path / "bin")])
    assert program.installed("proxy").path == str(path)


# Builds


MAKE = """
printf '#!/bin/sh\\necho built 0.9\\n' > "$1"
chmod +x "$1"
"""


def test_what_is_not_built_yet_says_how(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    assert program.installed("built") == Installed(missing="not built yet", remedy="hopcost build built")
    assert built_files(tmp_path) == []


def test_what_cannot_be_built_says_what_to_install(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT.replace('tool = "sh"', 'tool = "no-such-tool"'), make_sh=MAKE)
    remedy = "install a shell, then: hopcost build built"
    assert program.installed("built") == Installed(missing="'no-such-tool' is not installed", remedy=remedy)
    with pytest.raises(CannotMeasure) as caught:
        program.build("built")
    assert caught.value.message == "built cannot be built: 'no-such-tool' is not installed"
    assert caught.value.hint == remedy


def test_a_build_makes_the_program_and_nothing_else(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    assert program.installed("built").missing == "not built yet"
    program.build("built")
    (path,) = built_files(tmp_path)
    assert program.installed("built") == Installed(path=str(path), version="0.9")
    assert path.name == "built"


def test_a_build_is_done_once(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    program.build("built")
    (path,) = built_files(tmp_path)
    before = path.stat()
    program.build("built")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_other_sources_are_another_program(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    program.build("built")
    define(tmp_path, "built", BUILT, make_sh=MAKE.replace("0.9", "1.0"))
    assert program.installed("built").missing == "not built yet"
    program.build("built")
    assert program.installed("built").version == "1.0"
    assert len(built_files(tmp_path)) == 2


def test_a_failed_build_shows_its_last_lines_and_leaves_nothing(tmp_path: Path) -> None:
    lines = 'echo half > "$1"\nfor i in 01 02 03 04 05 06 07 08 09 10 11 12; do echo "line $i"; done\nexit 3\n'
    define(tmp_path, "built", BUILT, make_sh=lines)
    with pytest.raises(CannotMeasure) as caught:
        program.build("built")
    head, *shown = caught.value.message.splitlines()
    assert head.startswith("built cannot be built: sh make.sh ")
    assert head.endswith(" ended with 3:")
    assert shown == [f"line {number:02}" for number in range(3, 13)]
    assert built_files(tmp_path) == []


def test_a_build_is_seen_whole_or_not_at_all(tmp_path: Path) -> None:
    """While the build writes, nothing stands under the program's name; the build itself looks."""
    look = 'echo half > "$1"\nls "$(dirname "$1")" > seen\n'
    define(tmp_path, "built", BUILT, make_sh=look + MAKE)
    program.build("built")
    assert (tmp_path / "programs" / "built" / "seen").read_text().split() == []  # the unfinished file is hidden
    assert [path.name for path in built_files(tmp_path)] == ["built"]
    assert program.installed("built").version == "0.9"


def test_a_build_that_makes_nothing_is_told(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh="exit 0\n")
    with pytest.raises(CannotMeasure) as caught:
        program.build("built")
    assert caught.value.message.startswith("built cannot be built: ")
    assert "No such file or directory" in caught.value.message


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    (tmp_path / "a-file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a-file"))
    with pytest.raises(CannotMeasure) as caught:
        program.build("built")
    assert caught.value.message.startswith("built cannot be built: ")
    assert str(tmp_path / "a-file") in caught.value.message
    assert caught.value.hint == "programs are built into the user's cache; XDG_CACHE_HOME names another place for it"


def test_missing_builds_are_made_and_the_reasons_of_others_kept(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    define(tmp_path, "broken", BUILT.replace('"built"', '"broken"'), make_sh="echo no luck; exit 1\n")
    said: list[str] = []
    problems = program.build_missing(["proxy", "built", "broken"], said.append)
    assert said == ["building built", "building broken"]
    assert [problem.splitlines()[-1] for problem in problems] == ["no luck"]
    assert program.installed("built").version == "0.9"
    assert program.installed("broken").missing == "not built yet"
    said.clear()
    assert program.build_missing(["built"], said.append) == []
    assert said == []


def test_what_no_tool_can_build_is_not_announced(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT.replace('tool = "sh"', 'tool = "no-such-tool"'), make_sh=MAKE)
    said: list[str] = []
    problems = program.build_missing(["built"], said.append)
    assert (said, problems) == ([], ["built cannot be built: 'no-such-tool' is not installed"])


# hopcost's own


def test_every_program_that_comes_with_hopcost_is_well_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(program.__file__).parent / "programs"
    monkeypatch.setattr(program, "PROGRAMS", own)
    program.load.cache_clear()
    names = program.names()
    assert {"go-hello", "nginx", "origin"} <= set(names)
    for name in names:
        definition = program.load(name)
        assert definition.name == name
        assert definition.folder == own / name
        assert (definition.folder / "README.md").is_file()
        assert all((definition.folder / template).is_file() for template in definition.files.values())
        assert definition.executable or definition.build
        if definition.build:
            assert all((definition.folder / source).is_file() for source in definition.build.sources)
            # A build that names no output makes a folder, in which its executable is.
            assert definition.build.executable or any("{output}" in word for word in definition.build.command)
        resolved = definition.resolve_settings({}, 2, name)
        assert set(resolved) == set(definition.settings)
        assert all(setting.doc for setting in definition.settings.values())


# What a program needs besides


NEEDING = (
    NGINX_LIKE
    + """
[settings.content]
kind = "choice"
choices = ["fixed", "lua"]
default = "fixed"
doc = "what it answers"

[needs.lua]
files = ["{folder}/nowhere.so", "{folder}/lua.so"]
when = {{ content = "lua" }}
install = "apt-get install lua"
"""
)


def define_needing(tmp_path: Path, needing: str = NEEDING) -> None:
    script(tmp_path, "my-proxy", "echo proxy/1.2.3")
    define(tmp_path, "proxy", needing.format(executable="my-proxy", folder=tmp_path))


def test_what_a_setting_needs_is_missing_only_where_it_is_set(tmp_path: Path) -> None:
    define_needing(tmp_path)
    receipt = program.installed("proxy")
    assert receipt.missing is None
    assert receipt.under({"content": "fixed"}).version == "1.2.3"
    assert receipt.under({}).version == "1.2.3"
    lacking = receipt.under({"content": "lua", "workers": 1})
    assert lacking.missing == f"proxy needs {tmp_path}/nowhere.so with content = 'lua', which is not there"
    assert lacking.remedy == "apt-get install lua"
    (tmp_path / "lua.so").touch()
    program.installed.cache_clear()
    assert program.installed("proxy").under({"content": "lua"}).needs == {"lua": str(tmp_path / "lua.so")}


def test_without_what_it_always_needs_a_program_is_missing(tmp_path: Path) -> None:
    define_needing(tmp_path, NEEDING.replace('when = {{ content = "lua" }}\n', ""))
    receipt = program.installed("proxy")
    assert receipt.missing == f"proxy needs {tmp_path}/nowhere.so, which is not there"
    assert (receipt.path, receipt.remedy) == (None, "apt-get install lua")


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ('{{ contents = "lua" }}', "needs.lua.when: contents: no setting is called so"),
        ('{{ content = "fixed" }}', "needs.lua.when: content: that is its default"),
    ],
)
def test_a_need_that_refers_to_nothing_is_refused(tmp_path: Path, when, message) -> None:
    define_needing(tmp_path, NEEDING.replace('{{ content = "lua" }}', when))
    with pytest.raises(UsageError, match=message):
        program.load("proxy")


@pytest.mark.parametrize(
    ("least", "old"), [("", False), ("1.2.3", False), ("1.1.9", False), ("1.2.4", True), ("1.10", True)]
)
def test_a_version_that_is_too_old_is_missing(tmp_path: Path, least, old) -> None:
    script(tmp_path, "my-proxy", "echo proxy/1.2.3")
    define(tmp_path, "proxy", f'version_least = "{least}"\n' + NGINX_LIKE.format(executable="my-proxy"))
    missing = program.installed("proxy").missing
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
        program.installed("proxy", str(tmp_path / file))


def test_a_binary_is_asked_in_place_of_the_installed_program(tmp_path: Path) -> None:
    define(tmp_path, "proxy", NGINX_LIKE.format(executable="proxy"))
    (tmp_path / "new").write_text("#!/bin/sh\necho proxy/2.0\n")
    (tmp_path / "new").chmod(0o755)
    assert program.installed("proxy").missing == "'proxy' is not installed"
    assert program.installed("proxy", str(tmp_path / "new")) == Installed(path=str(tmp_path / "new"), version="2.0")


def test_config_must_be_one_of_the_files(tmp_path: Path) -> None:
    define(tmp_path, "proxy", 'config = "other.conf"\n' + NGINX_LIKE.format(executable="proxy"))
    with pytest.raises(UsageError, match=r"config: 'other\.conf' is none of its files"):
        program.load("proxy")
