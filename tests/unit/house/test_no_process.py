"""A unit test that starts a process fails, whatever the code under test does about it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    "start",
    [
        lambda: subprocess.run(["true"], check=False),
        lambda: os.system("true"),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        lambda: os.execv("/bin/true", ["true"]),
        os.fork,
    ],
)
def test_a_process_is_refused_before_it_is_there(start: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match="a unit test starts a process"):
        start()


def test_code_that_passes_over_failures_cannot_pass_over_this_one() -> None:
    with pytest.raises(pytest.fail.Exception):
        try:
            subprocess.run([sys.executable, "--version"], check=False)
        except Exception:
            pytest.skip("it was passed over")
