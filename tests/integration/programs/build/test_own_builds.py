"""The programs that hopcost builds: what each is built of, and what their builds say without a network."""

from __future__ import annotations

import re
import stat
import subprocess
from pathlib import Path

import pytest
from command import HOPCOST, environment

from hopcost.programs import read
from hopcost.programs.receipt import installed


def own_builds() -> list[str]:
    return [name for name in read.shipped_programs() if read.read_program(name).build is not None]


def test_all_kinds_of_sources_are_built() -> None:
    assert set(own_builds()) == {"actix", "express", "fasthttp", "go-hello", "go-proxy"}


@pytest.mark.parametrize("name", own_builds())
def test_every_source_and_lock_file_names_the_build(name: str) -> None:
    """A file that is forgotten there could change without a new build, or be missing in it."""
    definition = read.read_program(name)
    assert definition.build is not None
    written = {str(path.relative_to(definition.folder)) for path in definition.folder.rglob("*") if path.is_file()}
    aside = {"program.toml", "README.md", "rustfmt.toml", *definition.files.values()}
    assert {path for path in written if "node_modules" not in path} - aside == set(definition.build.sources)


@pytest.mark.parametrize("name", own_builds())
def test_every_built_program_says_what_it_was_built_of(name: str) -> None:
    installed.cache_clear()
    receipt = installed(name)
    assert receipt.missing is None and receipt.path is not None and receipt.version is not None
    assert Path(receipt.path).stat().st_mode & stat.S_IXUSR
    expected = {
        "actix": r"\d+\.\d+\.\d+ built with rustc \d",
        "express": r"\d+\.\d+\.\d+ on node v\d+\S+, pm2 \d",
        "fasthttp": r"v1\.69\.0 built with go1",
    }.get(name, r"go1\.\d+")
    assert re.match(expected, receipt.version)


@pytest.mark.parametrize(
    ("name", "tool", "offline"),
    [
        ("express", "npm ci", {"npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0"}),
        ("actix", "cargo install", {"CARGO_NET_OFFLINE": "true"}),
        ("fasthttp", "go build", {"GOPROXY": "off"}),
    ],
)
def test_without_a_network_the_error_names_the_tool_and_its_last_lines(
    tmp_path: Path, name: str, tool: str, offline: dict[str, str]
) -> None:
    caches = {"npm_config_cache": "npm", "CARGO_HOME": "cargo", "GOMODCACHE": "go", "XDG_CACHE_HOME": "cache"}
    folders = {key: str(tmp_path / value) for key, value in caches.items()}
    compiled = subprocess.run(["go", "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    run = subprocess.run(
        [HOPCOST, "build", name, "go-hello"],
        env=environment() | folders | offline | {"GOFLAGS": "-modcacherw", "GOCACHE": compiled},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert run.returncode == 3
    assert f"error: {name} cannot be built: {tool} " in run.stderr
    assert "hint: a first build fetches what " in run.stderr
    assert run.stdout.startswith("go-hello go1"), "the others are built all the same"
    assert "(built in " in run.stdout
    assert [path for path in (tmp_path / "cache" / "hopcost").glob(f"{name}-*/**/*") if path.is_file()] == []
