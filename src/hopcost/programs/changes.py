"""Settings of an arm as words on the command line: `nginx.access_log=on`, `nginx.config=FILE`, `origin.binary=FILE`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.programs import read
from hopcost.suites.arm import Arm, Hop

FILES = ("config", "binary")  # a hop's own keys, which are paths


def change_settings(arm: Arm, words: Sequence[str], option: str) -> Arm:
    """The arm with these words' settings in all hops of their program; later words win.

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
    return arm


def _with(hop: Hop, key: str, value: str, where: str) -> Hop:
    if key in FILES:
        if not Path(value).is_file():
            raise UsageError(f"{where}: {value}: no such file", "a path is taken from the working directory")
        return msgspec.structs.replace(hop, **{key: value}).from_folder(Path.cwd())
    definitions = read.program_of(hop).settings
    if key not in definitions:
        raise UsageError(f"{where}: {hop.program} has no setting '{key}'", nearest(key, [*definitions, *FILES]))
    setting = definitions[key].read(value, where)
    return msgspec.structs.replace(hop, settings=hop.settings | {key: setting})


def _parts(word: str, option: str) -> tuple[str, str, str]:
    """`PROGRAM.SETTING=VALUE` in its three parts; UsageError for anything else."""
    left, _, value = word.partition("=")
    name, _, key = left.rpartition(".")
    if not (name and key and value):
        raise UsageError(
            f"{option} {word}: expected PROGRAM.SETTING=VALUE", "as in nginx.access_log=on or nginx.config=./new.conf"
        )
    return name, key, value
