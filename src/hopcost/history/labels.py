"""Labels: what a record is of, so that it is found again. `branch=main`, `commit=4f2a…`.

A run notes those that git and the variables of a CI give where it starts. What a person writes wins over them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from hopcost.errors import UsageError

GIT_S = 5.0
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
LONGEST = 200  # characters of a value
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
GIT = (
    "git",
    "-c",
    "core.fsmonitor=false",  # of a repository's own configuration: a program that would be started
    "--no-optional-locks",
    "status",
    "--porcelain=v2",
    "--branch",
    "--untracked-files=no",
    "--ignore-submodules=all",
)
VARIABLES = {  # label → variables in the order of their worth: GitHub, GitLab, then the others
    "commit": (
        "GITHUB_SHA",
        "CI_COMMIT_SHA",
        "BUILDKITE_COMMIT",
        "CIRCLE_SHA1",
        "TRAVIS_COMMIT",
        "BITBUCKET_COMMIT",
        "DRONE_COMMIT_SHA",
        "BUILD_SOURCEVERSION",
        "GIT_COMMIT",
    ),
    "branch": (
        "GITHUB_HEAD_REF",  # of a pull request; GITHUB_REF_NAME is 7/merge then
        "GITHUB_REF_NAME",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
        "CI_COMMIT_BRANCH",
        "BUILDKITE_BRANCH",
        "CIRCLE_BRANCH",
        "TRAVIS_BRANCH",
        "BITBUCKET_BRANCH",
        "DRONE_BRANCH",
        "BUILD_SOURCEBRANCHNAME",
        "BRANCH_NAME",
        "GIT_BRANCH",
    ),
    "tag": ("CI_COMMIT_TAG", "BUILDKITE_TAG", "CIRCLE_TAG", "TRAVIS_TAG", "BITBUCKET_TAG", "DRONE_TAG"),
    "request": ("CI_MERGE_REQUEST_IID", "BUILDKITE_PULL_REQUEST", "BITBUCKET_PR_ID", "DRONE_PULL_REQUEST"),
}
NONE = ("", "false")  # what some of them say if there is none
GITHUB_REQUEST = re.compile(r"refs/pull/(\d+)/")


def read_labels(words: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` each, as `--label` has them; UsageError for anything else.

    >>> read_labels(["branch=main", "note=a=b"])
    {'branch': 'main', 'note': 'a=b'}
    """
    labels = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--label: expected NAME=VALUE, got '{word}'", "as in --label branch=main")
        labels[name] = value
    return check_labels(labels)


def check_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels; UsageError if a name or a value cannot be one."""
    for name, value in labels.items():
        if not NAME.fullmatch(name):
            raise UsageError(
                f"label '{_shown(name)}': expected a letter, then letters, digits, . _ -", "as in branch=main"
            )
        if not value or len(value) > LONGEST or CONTROL.search(value):
            raise UsageError(
                f"label {name}: expected 1 to {LONGEST} printable characters, got '{_shown(value)}'",
                "as in branch=main",
            )
    return dict(labels)


def labels_here(variables: Mapping[str, str], folder: Path | None = None) -> dict[str, str]:
    """What the CI's variables and git say of a folder (None: the working directory); what they do not say is absent."""
    labels = _of_git(folder) | _of_variables(variables)
    return {name: value for name, value in labels.items() if value and len(value) <= LONGEST}


def labels_of(environment: Mapping[str, object]) -> dict[str, str]:
    """Those that the run noted in a record's environment.json, cleaned: a record may come from anybody."""
    noted = environment.get("labels")
    if not isinstance(noted, dict):
        return {}
    pairs = [(name, CONTROL.sub("", value)) for name, value in noted.items() if isinstance(value, str)]
    return {name: value[:LONGEST] for name, value in pairs if NAME.fullmatch(str(name)) and value}


def _of_variables(variables: Mapping[str, str]) -> dict[str, str]:
    labels = {}
    for label, names in VARIABLES.items():
        values = (CONTROL.sub("", variables.get(name, "")) for name in names)
        value = next((value for value in values if value not in NONE), None)
        if value is not None:
            labels[label] = value.removeprefix("origin/") if label == "branch" else value
    reference = variables.get("GITHUB_REF", "")
    if match := GITHUB_REQUEST.match(reference):
        labels["request"] = match[1]
    if variables.get("GITHUB_REF_TYPE") == "tag":
        labels["tag"] = labels.pop("branch", "")
    return labels


def _of_git(folder: Path | None) -> dict[str, str]:
    """Commit and branch of what is checked out; `changed=yes` if a tracked file is not as committed."""
    try:
        run = subprocess.run(GIT, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=GIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if run.returncode != 0:
        return {}
    return read_status(run.stdout.decode("utf-8", "replace"))


def read_status(text: str) -> dict[str, str]:
    """What `git status --porcelain=v2 --branch` says.

    >>> read_status("# branch.oid 4f2a\\n# branch.head main\\n1 .M N... 100644 100644 100644 a b README.md")
    {'commit': '4f2a', 'branch': 'main', 'changed': 'yes'}
    >>> read_status("# branch.oid (initial)\\n# branch.head (detached)\\n")
    {}
    """
    labels = {}
    for line in text.splitlines():
        for label, header in (("commit", "# branch.oid "), ("branch", "# branch.head ")):
            if line.startswith(header) and not line.startswith(f"{header}("):
                labels[label] = CONTROL.sub("", line.removeprefix(header))
        if line[:2] in ("1 ", "2 ", "u "):
            labels["changed"] = "yes"
    return labels


def _shown(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
