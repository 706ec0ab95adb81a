"""Changes of an arm as words on the command line: `nginx.access_log=on`, `nginx.config=FILE`, `shop.folder=DIR`."""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.programs import read
from hopcost.programs.app import receipt_of_app
from hopcost.programs.definition.settings import SettingDefinition, SettingKind
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop

FOLDER, COMMAND = "folder", "command"  # of the user's own app
BINARY, CONFIG = "binary", "config"  # files in place of a program's own
OF_THE_WORKING_DIRECTORY = "a path is taken from the working directory"


def change_settings(arm: Arm, words: Sequence[str], option: str) -> Arm:
    """The arm with these words' changes in all hops of their program; later words win.

    Paths are taken from the working directory. UsageError says what a word should have been; whether a setting fits
    the other ones is seen when the stack is decided.
    """
    for word in words:
        name, key, value = _parts(word, option)
        where = f"{option} {word}"
        own = {hop.program for hop in arm.hops}
        if name not in own:
            raise UsageError(f"{where}: no hop of the arm is the program '{name}'", nearest(name, own))
        hops = [_with(hop, key, value, where) if hop.program == name else hop for hop in arm.hops]
        arm = msgspec.structs.replace(arm, hops=hops)
    for hop in arm.hops:
        _check_app(hop, [word for word in words if word.startswith(f"{hop.program}.")], option)
    return arm


def _check_app(hop: Hop, words: Sequence[str], option: str) -> None:
    """UsageError if an app that these words change cannot be started."""
    if hop.app is None or not words:
        return
    receipt = receipt_of_app(hop.app, hop.binary)
    if receipt.missing is not None:
        raise UsageError(f"{option} {words[-1]}: {receipt.missing}", receipt.remedy)


def _with(hop: Hop, key: str, value: str, where: str) -> Hop:
    if key == BINARY:
        return _with_file(hop, key, value, where)
    if hop.app is not None:
        return msgspec.structs.replace(hop, app=_changed(hop.program, hop.app, key, value, where))
    program = read.program_of(hop)
    if key == CONFIG and program.config:
        return _with_file(hop, key, value, where)
    if key not in program.settings:
        raise _refuse(hop.program, key, where, [*program.settings, BINARY], has_config=bool(program.config))
    setting = program.settings[key]
    try:
        read_value = setting.read(value, where)
    except UsageError as error:
        raise UsageError(error.message, error.hint or _example(f"{hop.program}.{key}", setting)) from error
    return msgspec.structs.replace(hop, settings=hop.settings | {key: read_value})


def _with_file(hop: Hop, key: str, value: str, where: str) -> Hop:
    if not Path(value).is_file():
        raise UsageError(f"{where}: {value}: no such file", OF_THE_WORKING_DIRECTORY)
    return msgspec.structs.replace(hop, **{key: value}).from_folder(Path.cwd())


def _changed(name: str, app: App, key: str, value: str, where: str) -> App:
    """The user's own app, started in another folder or by another command."""
    if key == FOLDER:
        if not Path(value).is_dir():
            raise UsageError(f"{where}: {value}: no such folder", OF_THE_WORKING_DIRECTORY)
        return msgspec.structs.replace(app, folder=os.path.abspath(value))  # noqa: PTH100  # a link stays one
    if key == COMMAND:
        return msgspec.structs.replace(app, command=_split(value, where))
    raise UsageError(f"{where}: {name} has no setting '{key}'", nearest(key, [COMMAND, FOLDER, BINARY]))


def _split(text: str, where: str) -> list[str]:
    """The words of a command as a shell would split them."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{where}: {error}", "words are split as in a shell; close each quote") from error
    if not words:
        raise UsageError(f"{where}: no command", "as in shop.command='node server.js'")
    return words


def _refuse(name: str, key: str, where: str, known: list[str], *, has_config: bool) -> UsageError:
    if key == CONFIG:
        return UsageError(f"{where}: {name} has no configuration file", nearest(key, known))
    hint = nearest(key, [*known, *([CONFIG] if has_config else [])])
    if has_config and hint.startswith("known"):
        hint = f"{name}.config=FILE takes a configuration of yours, with any line in it; settings: {', '.join(known)}"
    return UsageError(f"{where}: {name} has no setting '{key}'", hint)


def _example(path: str, setting: SettingDefinition) -> str:
    """`write nginx.gzip=on or nginx.gzip=off`."""
    match setting.kind:
        case SettingKind.SWITCH:
            return f"write {path}=on or {path}=off"
        case SettingKind.PATH:
            return f"as in {path}=/srv/file"
        case _:
            return f"as in {path}={setting.default}"


def _parts(word: str, option: str) -> tuple[str, str, str]:
    """`PROGRAM.SETTING=VALUE` in its three parts; UsageError for anything else."""
    left, _, value = word.partition("=")
    name, _, key = left.rpartition(".")
    if not (name and key and value):
        raise UsageError(
            f"{option} {word}: expected PROGRAM.SETTING=VALUE", "as in nginx.access_log=on or nginx.config=./new.conf"
        )
    return name, key, value
