"""The wheel: what is in it, where it may run, and that it measures in a fresh environment far from the checkout.

Built by the locked tools, installed by pip; what it depends on comes out of uv.lock and, after `make setup`, out of
uv's cache.
"""

from __future__ import annotations

import importlib.util
import os
import re
import stat
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from places import ROOT
from processes.wheels import ran

import hopcost
from hopcost.machine import binaries
from hopcost.machine.binaries import OWN

CHECKOUT = ROOT / "src"
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
# What every distribution since the tag's glibc has beside it (PEP 600).
EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"}


def elf(binary: Path, *what: str) -> str:
    return ran(["readelf", "--wide", *what, binary]).stdout


def test_the_version_stands_in_one_place(wheel: Path) -> None:
    """In Cargo.toml; the distribution, the package, both binaries and the wheel's name have it from there."""
    assert "version" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert hopcost.__version__ == VERSION
    for name in OWN:
        assert ran([binaries.require(name), "--version"]).stdout == f"{name} {VERSION}\n"
    assert wheel.name.startswith(f"hopcost-{VERSION}-")


def test_it_holds_the_package_as_it_is_in_git_and_the_binaries(wheel: Path) -> None:
    """No build's leavings, no node_modules; what can be executed stays so, as pip and uv unpack it."""
    listed = ran(["git", "ls-files", "--cached", "--others", "--exclude-standard", "hopcost"], cwd=CHECKOUT).stdout
    sources = {line for line in listed.splitlines() if (CHECKOUT / line).exists()}
    packed = {f"hopcost/bin/{name}" for name in OWN}
    with zipfile.ZipFile(wheel) as archive:
        modes = {
            each.filename: each.external_attr >> 16 for each in archive.infolist() if ".dist-info/" not in each.filename
        }
    assert set(modes) == sources | packed
    executable = {name for name in sources if (CHECKOUT / name).stat().st_mode & stat.S_IXUSR}
    assert "hopcost/programs/shipped/express/start" in executable
    assert {name for name, mode in modes.items() if mode & stat.S_IXUSR} == executable | packed


def test_it_carries_the_terms_of_all_that_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folder = f"hopcost-{VERSION}.dist-info/licenses/"
        texts = {
            name.removeprefix(folder): archive.read(name) for name in archive.namelist() if name.startswith(folder)
        }
        metadata = archive.read(f"hopcost-{VERSION}.dist-info/METADATA").decode()
    assert set(texts) == {"LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES"}
    assert texts["THIRD-PARTY-LICENSES"] == (ROOT / "THIRD-PARTY-LICENSES").read_bytes()
    needs = [line for line in metadata.splitlines() if line.startswith("Requires-Dist: ")]
    assert len([line for line in needs if "extra ==" not in line]) <= 13


def test_its_tag_asks_for_the_glibc_that_the_binaries_need(wheel: Path, tmp_path: Path) -> None:
    """manylinux (PEP 600): that glibc or a newer one, and no library that a distribution may lack."""
    match = re.fullmatch(rf"hopcost-{VERSION}-py3-none-manylinux_(\d+)_(\d+)_(\w+)\.whl", wheel.name)
    assert match is not None, wheel.name
    assert match[3] == os.uname().machine
    needed, libraries = set(), set()
    with zipfile.ZipFile(wheel) as archive:
        for name in OWN:
            binary = Path(archive.extract(f"hopcost/bin/{name}", tmp_path))
            needed |= {
                (int(major), int(minor)) for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", elf(binary, "-V"))
            }
            libraries |= set(re.findall(r"\(NEEDED\).*\[(.+)\]", elf(binary, "-d")))
    assert (int(match[1]), int(match[2])) == max(needed)
    assert {each for each in libraries if not each.startswith("ld-linux")} <= EVERYWHERE


def test_the_source_distribution_holds_what_a_wheel_is_built_from(tmp_path: Path) -> None:
    ran([sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path], cwd=ROOT)
    (path,) = tmp_path.iterdir()
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    listed = ran(["git", "ls-files", "src", "crates", "Cargo.*", "LICENSE-*"], cwd=ROOT).stdout.splitlines()
    own = {"pyproject.toml", "README.md", "THIRD-PARTY-LICENSES", "tools/wheel.py"}
    needed = {line for line in listed if (ROOT / line).exists()} | own
    assert needed <= names
    assert {name.partition("/")[0] for name in names - needed} <= {
        "src",
        "crates",
        ".gitignore",
        "CHANGELOG.md",
        "PKG-INFO",
    }
    assert not [name for name in names if "/target/" in name or "node_modules" in name]


def test_without_rust_an_editable_install_works_and_a_wheel_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`uv sync` must neither need Rust nor compile it a second time."""
    spec = importlib.util.spec_from_file_location("wheel_hook", ROOT / "tools" / "wheel.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    hook = module.Wheel(str(tmp_path), {}, None, None, str(tmp_path), "wheel")
    monkeypatch.setenv("PATH", str(tmp_path))
    data: dict[str, object] = {}
    hook.initialize("editable", data)
    assert (data, list(tmp_path.iterdir())) == ({}, [])
    with pytest.raises(SystemExit) as ended:
        hook.initialize("standard", data)
    assert ended.value.code != 0
    assert "is built with Rust 1.88 or newer: no cargo on the PATH" in "".join(capsys.readouterr())
