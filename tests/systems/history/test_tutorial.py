"""The jobs of docs/tutorial/history.md, run as far as a local shell can: what a CI would run in its steps."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

import command
import pytest
from places import ROOT
from processes.needed import need_program

from hopcost.history.history import History

PAGE = (ROOT / "docs" / "tutorial" / "history.md").read_text()
SHORTER = ("--time 10m", "--quick --time 12 --anyway")  # what the test may take, beside whatever runs here
COMMIT = "4f2a9d"


def jobs() -> list[str]:
    """The YAML of GitHub, then GitLab."""
    return re.findall(r"(?ms)^```yaml\n(.*?)^```$", PAGE)


def steps_of_github() -> list[str]:
    """The script of each step behind the installation."""
    scripts = re.findall(r"(?m)^( +)run: \|\n((?:\1  .*\n|\n)+)", jobs()[0])
    return [textwrap.dedent(script) for _, script in scripts if "hopcost run" in script or "hopcost gate" in script]


def script_of_gitlab() -> list[str]:
    """Its lines, each a command."""
    (script,) = re.findall(r"(?m)^  script:\n((?:    - .*\n)+)", jobs()[1])
    return re.findall(r"(?m)^    - (.*)$", script)


def ran(script: str, folder: Path, place: str, **variables: str) -> tuple[int, str]:
    """As a runner does: bash that ends at the first error."""
    assert SHORTER[0] in script or "hopcost gate" in script
    done = subprocess.run(
        ["bash", "-e", "-c", script.replace(*SHORTER)],
        cwd=folder, env=command.environment() | {"HOPCOST_DATABASE": place, "HOPCOST_MACHINE": "runners", **variables},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr and "s3cret" not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with the suite that `hopcost init` writes, and what its app serves."""
    need_program("nginx")
    folder = tmp_path / "project"
    folder.mkdir()
    assert command.hopcost("init", "my-app.toml", folder=folder).returncode == 0
    (folder / "FILE").write_text("hello")
    return folder


@pytest.mark.timeout(600)
def test_the_job_for_github_measures_keeps_and_does_not_fail_on_its_first_record(project: Path, place: str) -> None:
    measure, gate = steps_of_github()
    variables = {"GITHUB_SHA": COMMIT, "GITHUB_REF_NAME": "main", "GITHUB_REF": "refs/heads/main"}
    code, said = ran(measure, project, place, **variables)
    assert "kept: record in " in said, said
    assert code in (0, 4), "with --anyway nothing is settled"
    with History.open(place) as history:
        (record,) = history.records()
        assert (record.labels["branch"], record.labels["commit"], record.host) == ("main", COMMIT, "runners")
        assert ("my-app", "one-core", "nginx") in history.arms()
    code, said = ran(gate, project, place, **variables)
    assert (code, "::warning title=hopcost::" in said) == (0, True), said


@pytest.mark.timeout(600)
def test_the_job_for_gitlab_keeps_on_postgresql_with_a_password(project: Path, postgresql: str) -> None:
    place = postgresql.replace("shop@", "shop:s3cret@")
    measure, gate = script_of_gitlab()
    variables = {"CI_COMMIT_SHA": COMMIT, "CI_COMMIT_BRANCH": "main"}
    code, said = ran(measure, project, place, **variables)
    assert "kept: record in postgresql://shop:***@" in said and code in (0, 4), said
    code, said = ran(gate, project, place, **variables)
    assert code == 4, said
    with History.open(place) as history:
        assert [record.labels["branch"] for record in history.records()] == ["main"]


def test_the_jobs_are_yaml_of_their_kind() -> None:
    github, gitlab = jobs()
    assert github.startswith("name: history\non:\n  push:\n") and "${{ secrets.HOPCOST_DATABASE }}" in github
    assert gitlab.startswith("history:\n  image: ") and "exit_codes: 4" in gitlab
    assert os.linesep == "\n" and "\t" not in github + gitlab
