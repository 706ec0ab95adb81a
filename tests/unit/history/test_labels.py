"""Labels: what people write, what a CI's variables say, and what a record from anybody may have noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.history import labels as module
from hopcost.history.labels import check_labels, labels_here, labels_of, read_labels


@pytest.fixture(autouse=True)
def without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit test starts no process; tests/integration/history has git."""
    monkeypatch.setattr(module, "_of_git", lambda _: {})


@pytest.mark.parametrize("word", ["main", "=main", "1st=a", "branch=", "a b=c", "branch=a\nb", "branch=" + "x" * 201])
def test_what_is_no_label_is_told(word: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_labels([word])
    assert refused.value.hint == "as in branch=main" or refused.value.hint == "as in --label branch=main"


def test_a_long_value_is_not_printed_whole() -> None:
    with pytest.raises(UsageError) as refused:
        check_labels({"branch": "x" * 5000})
    assert len(refused.value.message) < 400


GITHUB = {"GITHUB_SHA": "4f2a", "GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main", "GITHUB_HEAD_REF": ""}
GITHUB_PULL = {
    "GITHUB_SHA": "9b1c",
    "GITHUB_REF": "refs/pull/7/merge",
    "GITHUB_REF_NAME": "7/merge",
    "GITHUB_HEAD_REF": "faster",
}
GITHUB_TAG = {"GITHUB_SHA": "1", "GITHUB_REF": "refs/tags/v1", "GITHUB_REF_NAME": "v1", "GITHUB_REF_TYPE": "tag"}
GITLAB = {"CI_COMMIT_SHA": "4f2a", "CI_COMMIT_BRANCH": "main"}
GITLAB_REQUEST = {
    "CI_COMMIT_SHA": "9b1c",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "faster",
    "CI_MERGE_REQUEST_IID": "7",
}


@pytest.mark.parametrize(
    ("variables", "labels"),
    [
        ({}, {}),
        (GITHUB, {"commit": "4f2a", "branch": "main"}),
        (GITHUB_PULL, {"commit": "9b1c", "branch": "faster", "request": "7"}),
        (GITHUB_TAG, {"commit": "1", "tag": "v1"}),
        (GITLAB, {"commit": "4f2a", "branch": "main"}),
        (GITLAB_REQUEST, {"commit": "9b1c", "branch": "faster", "request": "7"}),
        ({"CI_COMMIT_SHA": "1", "CI_COMMIT_TAG": "v1"}, {"commit": "1", "tag": "v1"}),
        ({"GIT_COMMIT": "1", "GIT_BRANCH": "origin/main"}, {"commit": "1", "branch": "main"}),
        (
            {"BUILDKITE_COMMIT": "1", "BUILDKITE_BRANCH": "b", "BUILDKITE_PULL_REQUEST": "false"},
            {"commit": "1", "branch": "b"},
        ),
        ({"CI_COMMIT_BRANCH": "a\x1b[31m"}, {"branch": "a[31m"}),
        ({"CI_COMMIT_BRANCH": "x" * 300}, {}),
    ],
)  # fmt: skip
def test_a_cis_variables_say_commit_and_branch(variables: dict[str, str], labels: dict[str, str]) -> None:
    assert labels_here(variables) == labels


def test_a_cis_variables_win_over_a_checkout_without_a_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_of_git", lambda _: {"commit": "of git", "changed": "yes"})
    assert labels_here(GITHUB, Path()) == {"commit": "4f2a", "branch": "main", "changed": "yes"}


def test_labels_of_a_record_from_anybody_are_cleaned() -> None:
    noted = {"branch": "a\0b", "<script>": "x", "count": 3, "empty": "", "note": "n" * 999}
    assert labels_of({"labels": noted}) == {"branch": "ab", "note": "n" * 200}
    assert labels_of({"labels": ["branch"]}) == labels_of({}) == {}
