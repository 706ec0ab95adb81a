"""`hopcost` as a person runs it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

HOPCOST = Path(sys.executable).with_name("hopcost")
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
    """Run to the end, behind a command (`setpriv …`) and with more in the environment; at most a minute and a half."""
    return subprocess.run(
        [*before, HOPCOST, *map(str, arguments)],
        cwd=folder,
        env=environment() | dict(extra or {}),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


@contextmanager
def start(*arguments: object, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start and go on; output in pipes. Killed at the end where the test has not ended it."""
    process = subprocess.Popen(
        [HOPCOST, *map(str, arguments)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
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
