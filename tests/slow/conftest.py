"""A wheel, built by the locked tools and installed by pip, for all tests of it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from places import ROOT
from processes.wheels import Installed, ran


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    ran([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder], cwd=ROOT)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("elsewhere")
    (place / "go.work").write_text("go 1.22\n")
    installed_here = Installed(place / "environment")
    ran([sys.executable, "-m", "venv", installed_here.folder])
    uv = shutil.which("uv") or ROOT / ".tools" / "bin" / "uv"
    locked = ["sync", "--frozen", "--inexact", "--no-dev", "--no-install-project", "--quiet"]
    ran([uv, *locked], cwd=ROOT, env=os.environ | {"UV_PROJECT_ENVIRONMENT": str(installed_here.folder)})
    ran([installed_here.python, "-m", "pip", "install", "--no-deps", "--no-index", wheel])
    return installed_here
