"""Whether io_uring is refused is tried, so a filter that no sysctl tells of is seen."""

from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

CONTAINER = Path(__file__).parents[2] / "support" / "processes" / "container.py"
ASK = [sys.executable, "-c", "from hopcost.machine import io_uring; print(io_uring.refusal())"]


@pytest.mark.skipif(os.geteuid() != 0 or platform.machine() != "x86_64", reason="one filter is for x86-64")
def test_a_filter_that_refuses_it_is_seen() -> None:
    command = [sys.executable, str(CONTAINER), "io-uring", "--", *ASK]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown == f"{errno.EPERM}\n"


def test_the_engine_and_the_doctor_agree() -> None:
    """An instance of the engine's kind is made here, or its error number is told."""
    shown = subprocess.run(ASK, capture_output=True, text=True, check=True).stdout.strip()
    assert shown == "None" or int(shown) in {errno.EPERM, errno.ENOSYS, errno.EINVAL, errno.EACCES, errno.ENOMEM}
