"""Unit tests start no process: a test that does so fails, and belongs into tests/integration/."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from processes.no_process import no_process


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    with no_process():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    with no_process():
        yield
