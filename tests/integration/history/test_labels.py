"""What git says of the folder where a run begins."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from processes.needed import need_command

from hopcost.history.labels import labels_here


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """With one commit on the branch `faster`."""
    need_command("git", "apt-get install git")
    git(tmp_path, "init", "--quiet", "--initial-branch=faster")
    (tmp_path / "server.js").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_commit_and_branch_are_those_checked_out(repository: Path) -> None:
    (repository / "below").mkdir()
    (repository / "untracked").touch()
    expected = {"commit": git(repository, "rev-parse", "HEAD"), "branch": "faster"}
    assert labels_here({}, repository) == labels_here({}, repository / "below") == expected


def test_a_tracked_file_that_is_not_as_committed_is_told(repository: Path) -> None:
    (repository / "server.js").write_text("2")
    assert labels_here({}, repository)["changed"] == "yes"


def test_a_commit_without_a_branch_has_no_branch_but_the_cis(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    assert set(labels_here({}, repository)) == {"commit"}
    assert labels_here({"CI_COMMIT_BRANCH": "main"}, repository)["branch"] == "main"


def test_outside_a_repository_and_without_git_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert labels_here({}, tmp_path) == {}
    monkeypatch.setenv("PATH", "")
    assert labels_here({}, tmp_path) == {}


def test_a_program_that_a_repository_names_is_not_started(repository: Path) -> None:
    started = repository / "started"
    git(repository, "config", "core.fsmonitor", f"touch {started}; true")
    labels_here({}, repository)
    assert not started.exists()
