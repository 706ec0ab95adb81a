"""What a test needs of this machine. Under CI it is there; elsewhere a test without it is skipped, with the reason."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

import pytest

from hopcost.programs.receipt import installed
from hopcost.suites.arms.arm import SettingValue


def need(missing: str | None) -> None:
    """Skip the test if something is missing; under CI the test fails then."""
    if missing is not None and "CI" not in os.environ:
        pytest.skip(missing)
    assert missing is None


def need_program(name: str, settings: Mapping[str, SettingValue] | None = None) -> None:
    """One of the programs that hopcost ships, and what these settings of it need."""
    receipt = installed(name).under(settings or {})
    need(None if receipt.missing is None else f"{name}: {receipt.missing}; {receipt.remedy}")


def need_command(name: str, remedy: str) -> str:
    """A program in PATH; where it lies."""
    path = shutil.which(name)
    need(None if path is not None else f"{name} is not installed; {remedy}")
    assert path is not None, "need has looked"
    return path
