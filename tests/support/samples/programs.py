"""Programs that are folders of the test: their definitions, and a world in which nothing else is installed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopcost.programs import read, receipt
from hopcost.programs.build.cache import HELD
from hopcost.programs.definition import definition as programs_definition

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


def forget() -> None:
    """Definitions and receipts are read anew."""
    read.read_program.cache_clear()
    receipt.installed.cache_clear()


def define(tmp_path: Path, name: str, definition: str, **files: str) -> None:
    folder = tmp_path / "programs" / name
    folder.mkdir(exist_ok=True)
    (folder / "program.toml").write_text(definition)
    for file, text in files.items():
        (folder / file.replace("_", ".")).write_text(text)
    forget()


def script(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def define_proxy(tmp_path: Path, executable: str = "my-proxy") -> None:
    define(tmp_path, "proxy", NGINX_LIKE.format(executable=executable))


def built_files(tmp_path: Path) -> list[Path]:
    """Without the file that the cache's users lock."""
    return sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.name != HELD)


MAKE = """
printf '#!/bin/sh\\necho built 0.9\\n' > "$1"
chmod +x "$1"
"""
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


@pytest.fixture
def own_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs, the PATH and the user's cache are this test's alone."""
    for folder in ("programs", "bin", "cache"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(programs_definition, "PROGRAMS", tmp_path / "programs")
    monkeypatch.setattr(receipt, "SYSTEM_FOLDERS", [])
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    forget()
    yield
    forget()
