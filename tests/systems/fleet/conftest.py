"""Two machines for the tests here; none of the apps."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes.needed import need
from systems import hosts
from systems.hosts import Hosts


@pytest.fixture(autouse=True, scope="session")
def installed() -> None:
    """In place of what the apps need."""
    need(hosts.missing())
    pytest.importorskip("asyncssh")


@pytest.fixture(scope="session")
def two_machines(installed: None) -> Iterator[Hosts]:
    with tempfile.TemporaryDirectory(prefix="hct-fleet-") as folder, hosts.running(Path(folder)) as running:
        yield running
