"""Every shipped program is well defined."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.programs import read
from hopcost.programs.definition import definition as programs_definition

pytestmark = pytest.mark.usefixtures("own_programs")


def test_every_program_that_comes_with_hopcost_is_well_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(programs_definition.__file__).parents[1] / "shipped"
    monkeypatch.setattr(programs_definition, "PROGRAMS", own)
    read.read_program.cache_clear()
    names = read.shipped_programs()
    assert {"go-hello", "nginx", "origin"} <= set(names)
    for name in names:
        definition = read.read_program(name)
        assert definition.name == name
        assert definition.folder == own / name
        assert (definition.folder / "README.md").is_file()
        assert all((definition.folder / template).is_file() for template in definition.files.values())
        assert definition.executable or definition.build
        if definition.build:
            assert all((definition.folder / source).is_file() for source in definition.build.sources)
            # A build that names no output makes a folder, in which its executable is.
            assert definition.build.executable or any("{output}" in word for word in definition.build.command)
        resolved = definition.resolve_settings({}, 2, name)
        assert set(resolved) == set(definition.settings)
        assert all(setting.doc for setting in definition.settings.values())
