"""The wheel: what is in it, where it may run, and that it measures in a fresh environment far from the checkout.

Built by the locked tools, installed by pip; what it depends on comes out of uv.lock and, after `make setup`, out of
uv's cache.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from command import environment
from places import ROOT
from processes.freezers import leavings
from processes.needed import need
from texts.suite_files import TWO_ARMS

import hopcost
from hopcost.machine import binaries
from hopcost.machine.binaries import OWN
from hopcost.programs import receipt as programs_receipt

CHECKOUT = ROOT / "src"
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
# What every distribution since the tag's glibc has beside it (PEP 600).
EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
HELLO_ARMS = {
    "one-core": ["nginx", "fasthttp", "actix", "go"],
    "all-cores": ["nginx", "fasthttp", "actix", "go", "nginx-actix"],
}
WHERE = """
from hopcost.machine import binaries
from hopcost.programs import definition
from hopcost.suites import read
print(*map(binaries.find, binaries.OWN), definition.PROGRAMS, read.SUITES)
"""
HTML = """
from hopcost.errors import CannotMeasure
from hopcost.report import Format, render
try:
    render(None, Format.HTML)
except CannotMeasure as error:
    print(error.message, error.hint, sep="\\n")
"""
ON_GO = TWO_ARMS.replace('"small"', '"mine"').replace('"origin"', '"go-hello"').replace("open_loop = false\n", "")


def ran(command: Sequence[object], **options: object) -> subprocess.CompletedProcess[str]:
    """A command that must succeed; what it printed is shown where it does not."""
    words = list(map(str, command))
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return done  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    ran([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder], cwd=ROOT)
    (path,) = folder.iterdir()
    return path


class Installed(msgspec.Struct):
    """A fresh environment with the wheel in it; around it a Go workspace, which is none of hopcost's business."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def run(
        self, *arguments: object, folder: Path, extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Its hopcost, run in this folder by a shell in which nothing was activated."""
        inherited = environment()
        path = [each for each in inherited["PATH"].split(os.pathsep) if not Path(each).is_relative_to(ROOT)]
        return subprocess.run(
            [self.folder / "bin" / "hopcost", *map(str, arguments)],
            cwd=folder,
            env=inherited | {"PATH": os.pathsep.join(path)} | dict(extra or {}),
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("elsewhere")
    (place / "go.work").write_text("go 1.22\n")
    installed_here = Installed(place / "environment")
    ran([sys.executable, "-m", "venv", installed_here.folder])
    uv = shutil.which("uv") or ROOT / ".tools" / "bin" / "uv"
    locked = ["sync", "--frozen", "--inexact", "--no-dev", "--no-install-project", "--quiet"]
    ran([uv, *locked], cwd=ROOT, env=os.environ | {"UV_PROJECT_ENVIRONMENT": str(installed_here.folder)})
    ran([installed_here.python, "-m", "pip", "install", "--no-deps", "--no-index", wheel])
    return installed_here


def elf(binary: Path, *what: str) -> str:
    return ran(["readelf", "--wide", *what, binary]).stdout


# What is in it


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
    found = re.fullmatch(rf"hopcost-{VERSION}-py3-none-manylinux_(\d+)_(\d+)_(\w+)\.whl", wheel.name)
    assert found is not None, wheel.name
    assert found[3] == os.uname().machine
    needed, libraries = set(), set()
    with zipfile.ZipFile(wheel) as archive:
        for name in OWN:
            binary = Path(archive.extract(f"hopcost/bin/{name}", tmp_path))
            needed |= {
                (int(major), int(minor)) for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", elf(binary, "-V"))
            }
            libraries |= set(re.findall(r"\(NEEDED\).*\[(.+)\]", elf(binary, "-d")))
    assert (int(found[1]), int(found[2])) == max(needed)
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


# What it does elsewhere


def test_nothing_of_it_comes_from_the_checkout(installed: Installed, tmp_path: Path) -> None:
    """Nor does it lack anything: pip finds every dependency that the wheel names, in a version that it allows."""
    ran([installed.python, "-m", "pip", "check"])
    places = ran([installed.python, "-c", WHERE], cwd=tmp_path).stdout.split()
    assert len(places) == 4 and all(Path(each).is_relative_to(installed.folder) for each in places), places
    shown = installed.run("--version", folder=tmp_path)
    assert shown.stdout == f"hopcost {VERSION}\n"


def test_a_run_there_leaves_its_record_in_the_folder_it_was_started_in(
    installed: Installed, tmp_path: Path, nothing_left: Path
) -> None:
    """The programs are those that `make setup` built: the digest of their sources is the same."""
    missing = {name: receipt.missing for name in ("nginx", "fasthttp", "actix", "go-hello")
               if (receipt := programs_receipt.installed(name)).missing}  # fmt: skip
    need(str(missing) if missing else None)
    done = installed.run("run", "--anyway", "hello", "--quick", "--time", 24, "--seed", 5, folder=tmp_path)
    assert "building" not in done.stderr
    (record,) = (tmp_path / "records").iterdir()
    assert record.name.endswith("-hello")
    again = installed.run("report", "latest", folder=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout), done.stderr + again.stderr
    report = json.loads(installed.run("report", "latest", "--json", folder=tmp_path).stdout)
    arms = {each["name"]: [arm["name"] for arm in each["arms"]] for each in report["experiments"]}
    assert arms == HELLO_ARMS, done.stderr
    for experiment in report["experiments"]:
        assert (experiment["left_out"], experiment["failures"]) == ([], [])
        for arm in experiment["arms"]:
            assert arm["answers"] > 0 and sum(arm["errors"].values()) == 0
    assert leavings(nothing_left) == []


def test_without_a_compiler_it_says_its_version_lists_and_measures(
    installed: Installed, tmp_path: Path, nothing_left: Path
) -> None:
    """As on a machine where nothing was ever built: no cc, cargo, go, node or npm on the PATH, an empty cache."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("env", "sh", "unshare", "ip", "tc"):
        if path := shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
            (tools / name).symlink_to(path)
    extra = {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert installed.run("--version", folder=tmp_path, extra=extra).stdout == f"hopcost {VERSION}\n"
    shown = installed.run("list", folder=tmp_path, extra=extra)
    assert shown.returncode == 0 and "nginx-go" in shown.stdout, shown.stderr
    (tmp_path / "small.toml").write_text(TWO_ARMS)
    words = ("--anyway", "./small.toml", "--quick", "--time", 5, "--record", "first")
    done = installed.run("run", *words, folder=tmp_path, extra=extra)
    blocks = [json.loads(line) for line in (tmp_path / "first" / "blocks.jsonl").read_text().splitlines()]
    assert {part["name"] for block in blocks for part in block["arms"]} >= {"tcp", "unix"}, done.stderr
    assert leavings(nothing_left) == []


def test_without_the_extra_a_report_as_html_names_what_brings_it(installed: Installed, tmp_path: Path) -> None:
    shown = ran([installed.python, "-c", HTML], cwd=tmp_path).stdout.splitlines()
    assert shown[0] in {f"a report as html needs {name}, which is not installed" for name in ("altair", "vl_convert")}
    assert shown[1] == "pip install altair vl-convert-python (hopcost's extra 'html')"


def test_its_engine_loads_a_url_and_its_origin_answers(installed: Installed, tmp_path: Path) -> None:
    own = ran([installed.python, "-c", WHERE], cwd=tmp_path).stdout.split()[1]
    command = [own, "--listen", "http+tcp:127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as origin:
        try:
            assert origin.stdout is not None
            address = json.loads(origin.stdout.readline())["listeners"][0]["address"]
            url = f"http://{address}/hello"
            loaded = installed.run("load", "--json", "-c", 4, "-n", 1000, url, folder=tmp_path)
        finally:
            origin.terminate()
    result = json.loads(loaded.stdout)
    assert result["answers"] == 1000 and sum(result["errors"].values()) == 0, loaded.stderr


def test_a_program_is_built_on_its_first_use_into_the_users_cache(
    installed: Installed, tmp_path: Path, nothing_left: Path
) -> None:
    """By the run itself, and not again by the next one; nothing is written where hopcost is installed."""
    compiled = ran(["go", "env", "GOCACHE"]).stdout.strip()  # Go's own, which XDG_CACHE_HOME would move
    extra = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "GOCACHE": compiled}
    (tmp_path / "mine.toml").write_text(ON_GO)
    before = set(installed.folder.rglob("programs/**/*"))
    assert any(path.name == "go.mod" for path in before)
    first, second = [
        installed.run(
            "run", "--anyway", "./mine.toml", "--quick", "--time", 3, "--record", name, folder=tmp_path, extra=extra
        )
        for name in ("first", "second")
    ]
    assert "building go-hello\n" in first.stderr
    assert [(path.name, os.access(path, os.X_OK)) for path in (tmp_path / "cache").glob("hopcost/*/*/go-hello")] == [
        ("go-hello", True)
    ]
    assert "building" not in second.stderr
    for done in (first, second):
        assert "links: Is a Unix socket cheaper?" in done.stdout, done.stderr
    assert set(installed.folder.rglob("programs/**/*")) == before
    assert leavings(nothing_left) == []


def test_without_go_and_node_the_error_names_what_is_missing_and_how_to_get_it(
    installed: Installed, tmp_path: Path
) -> None:
    extra = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": str(tmp_path)}
    shown = installed.run("build", "go-hello", "express", folder=tmp_path, extra=extra)
    assert shown.returncode == 3
    errors, hints = shown.stderr.splitlines()[1::3], shown.stderr.splitlines()[2::3]
    assert errors == [
        "error: go-hello cannot be built: 'go' is not installed",
        "error: express cannot be built: 'npm' is not installed",
    ]
    assert hints[0].startswith("hint: install Go 1.22 or newer (https://go.dev/dl, ")
    assert hints[1].startswith("hint: install Node 18 or newer with npm ")
    (tmp_path / "mine.toml").write_text(ON_GO)
    refused = installed.run("run", "./mine.toml", "--quick", folder=tmp_path, extra=extra)
    assert refused.returncode == 3
    assert "warning: go-hello cannot be built: 'go' is not installed\n" in refused.stderr
    assert "hint: install Go 1.22 or newer (https://go.dev/dl, " in refused.stderr
    assert not (tmp_path / "records").exists()
