"""Two machines, and two sites, for the tests here; none of the apps."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes.needed import need
from systems import sites
from systems.sites import Sites

from tools.docs.results import hosts
from tools.docs.results.hosts import Hosts


@pytest.fixture(autouse=True, scope="session")
def installed() -> None:
    """In place of what the apps need."""
    need(hosts.missing())
    pytest.importorskip("asyncssh")


@pytest.fixture(scope="session")
def two_machines(installed: None) -> Iterator[Hosts]:
    with tempfile.TemporaryDirectory(prefix="hct-fleet-") as folder, hosts.running(Path(folder)) as running:
        yield running


@pytest.fixture(scope="session")
def two_sites(installed: None) -> Iterator[Sites]:
    pytest.importorskip("distributed")
    with tempfile.TemporaryDirectory(prefix="hct-sites-") as folder, sites.running(Path(folder)) as running:
        yield running
