"""`patch` takes the diff of any edits, and makes of the files what the edits make of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from texts.nginx_texts import own_configurations

from hopcost.nginx.edits.diff import unified_diff
from hopcost.nginx.edits.make import add_after, remove
from hopcost.nginx.read import read_configuration
from hopcost.nginx.tree import walk


@pytest.mark.parametrize("file", own_configurations(), ids=lambda path: path.parent.name)
def test_patch_takes_the_diff(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "user"
    shutil.copytree(file.parent, folder)
    configuration = read_configuration(folder / file.name, tmp_path / "machine")
    lines = [found for found, _ in walk(configuration) if found.block is None and found.file in configuration.paths]
    edits = [remove(configuration, found) for found in lines[::3]]
    edits += [add_after(configuration, found, "added 1;") for found in lines[1::3]]
    diff = unified_diff(configuration, edits)
    subprocess.run(["patch", "-p0"], input=diff.encode(), cwd=folder, check=True, capture_output=True)
    changed = configuration.with_edits(edits)
    for name, path in configuration.paths.items():
        assert path.read_bytes().decode() == changed.files[name]
