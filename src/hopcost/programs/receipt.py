"""Whether a program is installed here: its path, its version, and the files it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.machine import binaries
from hopcost.programs.app import receipt_of_app
from hopcost.programs.build.cache import built_path
from hopcost.programs.configuration import executable_of
from hopcost.programs.definition.definition import Installed, Lacking, Program
from hopcost.programs.read import read_program
from hopcost.suites.arms.arm import Hop, SettingValue

HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "STEPPATH")
# A program that is asked for its version finds an empty home there: some make folders (`caddy version` ~/.step).
SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin"]  # where servers are, and an ordinary user's PATH is not


@cache
def installed(name: str, binary: str | None = None) -> Installed:
    """Whether the program is there, by its version command: no version, no program. Builds nothing.

    A `binary` is asked in place of the installed or built one; UsageError if it is not the program.
    """
    program = read_program(name)
    if binary is not None:
        receipt = _by_version(program, _named_binary(name, binary))
        if receipt.missing is not None:
            hint = f"it must take the command line of {name} (programs/{name}/program.toml), and print its version"
            raise UsageError(f"{name}: binary: {receipt.missing}", hint)
        return receipt
    path = built_path(program) if program.build else find_executable(program.executable)
    if path is None or not path.exists():
        if program.build and find_executable(program.build.tool):
            return Installed(missing="not built yet", remedy=f"hopcost build {name}")
        what = program.build.tool if program.build else program.executable
        return Installed(missing=f"'{what}' is not installed", remedy=program.install)
    return _by_version(program, path)


def receipt_of(hop: Hop) -> Installed:
    """The receipt of the hop's program or app, in the hop's own binary if it brings one; nginx's of a configuration."""
    if hop.configuration is not None:
        return installed("nginx", executable_of(hop.configuration))
    return installed(hop.program, hop.binary) if hop.app is None else receipt_of_app(hop.app, hop.binary)


def _named_binary(name: str, binary: str) -> Path:
    """The path of a binary that a person named; UsageError if it cannot be started."""
    path = Path(binary)
    if not path.is_file():
        raise UsageError(f"{name}: binary: {binary}: no such file", "a path is taken from the suite's folder")
    if not os.access(path, os.X_OK):
        raise UsageError(f"{name}: binary: {binary} is not executable", f"chmod +x {binary}")
    return path


def _by_version(program: Program, path: Path) -> Installed:
    """The receipt for an executable that is there, by what it prints."""
    command = [word.replace("{executable}", str(path)) for word in program.version_command]
    try:
        with tempfile.TemporaryDirectory(prefix="hopcost-version-") as home:
            run = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=10,
                check=False,
                env=os.environ | dict.fromkeys(HOMES, home),
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Installed(missing=f"{' '.join(command)}: {error}", remedy=program.install)
    version = re.search(program.version_pattern, run.stdout + run.stderr)
    if version is None:
        return Installed(missing=f"{' '.join(command)} printed no version", remedy=program.install)
    if _numbers(version[1]) < _numbers(program.version_least):
        least = program.version_least
        return Installed(missing=f"{path} has version {version[1]}, {least} is needed at least", remedy=program.install)
    return _with_needs(program, Installed(path=str(path), version=version[1]))


def _with_needs(program: Program, receipt: Installed) -> Installed:
    """The receipt with the files that are needed besides; missing if a file that is always needed is not there."""
    for name, need in program.needs.items():
        path = need.first_file()
        if path is not None:
            receipt.needs[name] = path
            continue
        where = " ".join(f"with {key} = {value!r}" for key, value in need.when.items())
        missing = f"{program.name} needs {need.files[0]} {where}".rstrip() + ", which is not there"
        if not need.when:
            return Installed(missing=missing, remedy=need.install)
        receipt.lacking.append(Lacking(when=need.when, missing=missing, remedy=need.install))
    return receipt


def _numbers(version: str) -> list[int]:
    """`1.22.1` → [1, 22, 1], to be compared."""
    return [int(number) for number in re.findall(r"\d+", version)]


def idle_timeout_s(name: str, settings: Mapping[str, SettingValue]) -> float | None:
    """After how long the program drops an idle connection under these settings; None if it does not say."""
    program = read_program(name)
    definition = program.settings.get("keepalive_timeout_s")
    value = settings.get("keepalive_timeout_s", definition.default if definition is not None else None)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) or None
    return program.idle_timeout_s


def find_executable(executable: str, system_folders: Sequence[str] | None = None) -> Path | None:
    """An executable beside hopcost's own binaries, on the PATH, or in the folders for servers (`SYSTEM_FOLDERS`)."""
    own = binaries.find(executable)
    if own is not None:
        return own
    folders = SYSTEM_FOLDERS if system_folders is None else system_folders
    search = os.pathsep.join([os.environ.get("PATH", os.defpath), *folders])
    path = shutil.which(executable, path=search)
    return Path(path) if path else None
