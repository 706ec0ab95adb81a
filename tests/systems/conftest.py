"""What all system tests need: their programs, and a database."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
from processes.needed import need
from systems import apps, database
from systems.apps import DJANGO, PACKAGES
from systems.database import Database


@pytest.fixture(autouse=True, scope="session")
def installed() -> None:
    """Under CI nothing is skipped: `make test-systems` has installed it."""
    missing = apps.missing()
    need(f"not installed: {', '.join(missing)}; tools/setup systems installs it" if missing else None)


@pytest.fixture(scope="session")
def shop(installed: None) -> Iterator[Database]:
    """A database with the Django app's table."""
    with database.running() as running:
        environment = os.environ | running.environment()
        subprocess.run([PACKAGES / "bin" / "python", "shop.py"], cwd=DJANGO.folder, env=environment, check=True)
        yield running
