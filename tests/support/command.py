"""`hopcost` as a person runs it: a process of its own."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

HOPCOST = Path(sys.executable).with_name("hopcost")
LONGEST_S = 240  # that `hopcost` may take on a very slow machine
AFTER_HELP = """
import sys
sys.argv = ["hopcost", *sys.argv[1:]]
from hopcost import cli
try:
    cli.main()
except SystemExit as end:
    print(end.code, *sorted(sys.modules), file=sys.stderr)
"""


def environment() -> dict[str, str]:
    """Plain output, 100 columns, and this hopcost on the PATH, so that it calls itself `hopcost`."""
    path = os.pathsep.join([str(HOPCOST.parent), os.environ.get("PATH", os.defpath)])
    return os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PATH": path}


def hopcost(
    *arguments: object, folder: Path | None = None, before: Sequence[str] = (), extra: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run to the end, behind a command (`setpriv …`) and with more in the environment.

    After four minutes it is interrupted, and the test fails with what it has said until then.
    """
    words = [*before, str(HOPCOST), *map(str, arguments)]
    with subprocess.Popen(
        words,
        cwd=folder,
        env=environment() | dict(extra or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            said = _last_words(process)
            pytest.fail(f"not at its end after {LONGEST_S} s: {shlex.join(words)}\n{said}")
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def _last_words(process: subprocess.Popen[str]) -> str:
    """What it says while it ends; one that does not end is killed."""
    try:
        return "\n".join(process.communicate(timeout=15))
    except subprocess.TimeoutExpired as late:
        process.kill()
        return f"(nor 15 s after Ctrl-C) {late.stdout!r} {late.stderr!r}"


@contextmanager
def start(*arguments: object, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start and go on, in a process group of its own; output in pipes. Killed at the end unless it has ended."""
    process = subprocess.Popen(
        [HOPCOST, *map(str, arguments)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def loaded_by(arguments: Sequence[str], extra: Mapping[str, str] | None = None, folder: Path | None = None) -> set[str]:
    """The modules that `hopcost` has loaded when it has answered."""
    shown = subprocess.run(
        [sys.executable, "-c", AFTER_HELP, *arguments],
        env=environment() | dict(extra or {}), cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, *modules = shown.stderr.split()
    assert code == "0"
    return set(modules)
