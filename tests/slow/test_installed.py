"""The installed wheel measures far from the checkout: nothing of it comes from there, and what is missing is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

from places import ROOT
from processes.freezers import leavings
from processes.needed import need
from processes.wheels import Installed, ran
from texts.suite_files import TWO_ARMS

from hopcost.programs import receipt as programs_receipt

VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
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
