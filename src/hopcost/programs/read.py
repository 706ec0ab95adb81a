"""Read a program's definition, `programs/shipped/<name>/program.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Protocol

from hopcost.errors import UsageError, nearest
from hopcost.programs.app import program_of_app
from hopcost.programs.configuration import program_of_configuration
from hopcost.programs.definition import definition
from hopcost.programs.definition.definition import Program
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import SettingValue
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.read import toml_file


def shipped_programs() -> list[str]:
    """All programs that hopcost knows."""
    return sorted(path.parent.name for path in definition.PROGRAMS.glob("*/program.toml"))


@cache
def read_program(name: str) -> Program:
    """The program's definition; UsageError with the nearest name when there is none."""
    if name not in shipped_programs():
        raise UsageError(f"no program is called '{name}'", nearest(name, shipped_programs()))
    path = definition.PROGRAMS / name / "program.toml"
    program = toml_file.read(path, Program)
    _check(program, path)
    return program


class OfProgram(Protocol):
    """A hop, of a suite or prepared: `app` is the user's own program of this name, `configuration` the user's own
    nginx.conf; one of hopcost's has neither.
    """

    program: str
    app: App | None
    configuration: Configuration | None


def program_of(hop: OfProgram) -> Program:
    """What the hop's program is; UsageError for an unknown one, and for the user's own called like one of hopcost's."""
    if hop.app is None and hop.configuration is None:
        return read_program(hop.program)
    if hop.program in shipped_programs():
        key = "apps" if hop.app is not None else "configurations"
        raise UsageError(f"{key}.{hop.program}: a program of hopcost is called so", "give yours another name")
    if hop.app is not None:
        return program_of_app(hop.program, hop.app)
    assert hop.configuration is not None, "one of the two is there"
    return program_of_configuration(hop.program, hop.configuration)


def _check(program: Program, path: Path) -> None:
    """What the structure alone cannot see: names, patterns and files that refer to nothing."""
    if program.name != path.parent.name:
        raise UsageError(f"{path}: name: '{program.name}', but the folder is called '{path.parent.name}'")
    if bool(program.executable) == (program.build is not None):
        raise UsageError(f"{path}: executable: expected either an executable or a [build]", "one of the two, not both")
    try:
        groups = re.compile(program.version_pattern).groups
    except re.error as error:
        raise UsageError(f"{path}: version_pattern: {error}") from error
    if groups < 1:
        raise UsageError(f"{path}: version_pattern: no group", "put the version in parentheses: 'nginx/(\\S+)'")
    if program.config and program.config not in program.files:
        raise UsageError(
            f"{path}: config: '{program.config}' is none of its files", nearest(program.config, program.files)
        )
    for key, setting in program.settings.items():
        setting.check(f"{path}: settings.{key}")
        _check_when(program, setting.when, f"{path}: settings.{key}.when")
    for key, need in program.needs.items():
        _check_when(program, need.when, f"{path}: needs.{key}.when")
        for setting_key, value in need.when.items():
            where = f"{path}: needs.{key}.when: {setting_key}"
            if program.settings[setting_key].default == value:
                raise UsageError(f"{where}: that is its default", "what the default needs is needed always: no `when`")
    files = [*program.files.values(), *(program.build.sources if program.build is not None else [])]
    for file in files:
        if not (path.parent / file).is_file():
            raise UsageError(f"{path}: no file '{file}' beside it")


def _check_when(program: Program, when: Mapping[str, SettingValue], where: str) -> None:
    """Conditions name settings of the program, and values that these take."""
    for key, value in when.items():
        if key not in program.settings:
            raise UsageError(f"{where}: {key}: no setting is called so", nearest(key, program.settings))
        program.settings[key].resolve(value, 1, f"{where}: {key}")
