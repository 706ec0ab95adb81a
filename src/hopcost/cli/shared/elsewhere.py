"""The options of a run whose generators have machines of their own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopcost.errors import UsageError

if TYPE_CHECKING:
    from hopcost.measure.fleet.ssh.names import Elsewhere

SUITE_THERE = "suite.toml"

On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="g=HOST",
        help="Load the stacks from another machine, which SSH reaches as user@host:port. g=HOST,g=HOST: several make"
        " one load. s=HOST,g=HOST: the stacks run elsewhere too.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="IP",
        help="With --on: where that machine reaches the stacks'. [default: where its SSH server sees it]",
    ),
]
SshKey = Annotated[
    list[Path] | None,
    typer.Option(
        "--ssh-key", metavar="FILE", help="With --on: log in with this key. [default: those in ~/.ssh, and ssh-agent's]"
    ),
]
KnownHosts = Annotated[
    Path | None,
    typer.Option(
        "--known-hosts", metavar="FILE", help="With --on: the keys of known machines. [default: ~/.ssh/known_hosts]"
    ),
]


def read_elsewhere(
    on: str | None, address: str | None, keys: list[Path] | None, known_hosts: Path | None
) -> Elsewhere | None:
    """The other machines; None without `--on`. UsageError for options that mean nothing."""
    from hopcost.measure.fleet.ssh import names

    if on is None:
        given = {"--address": address, "--ssh-key": keys, "--known-hosts": known_hosts}
        for option, value in given.items():
            if value:
                raise UsageError(f"{option}: without --on there is no other machine", "--on g=HOST")
        return None
    for file in [*(keys or []), *([known_hosts] if known_hosts is not None else [])]:
        if not file.expanduser().is_file():
            raise UsageError(f"{file}: there is no such file", "name existing files after --known-hosts and --ssh-key")
    access = names.Access(keys=tuple(keys or ()), known_hosts=known_hosts or names.Access().known_hosts)
    machines = names.read_machines(on)
    return names.Elsewhere(machines.generators, access, address, machines.stacks)


def run_on_stacks_machine(elsewhere: Elsewhere, suite: str, record: Path | None) -> int:
    """Let the stacks' machine run what was asked here, and fetch its record; its exit code."""
    from hopcost.measure.fleet.relay import run_there, words_there
    from hopcost.record.writer import new_folder, refuse_taken
    from hopcost.suites import names

    name, _ = names.choose(suite)
    folder = record or new_folder(Path(name).stem)
    refuse_taken(folder)
    is_file = Path(name).is_file()
    files = {SUITE_THERE: Path(name).read_bytes()} if is_file else {}
    given = sys.argv[sys.argv.index("run") + 1 :]
    words = words_there(given, suite, f"./{SUITE_THERE}{suite.removeprefix(name)}" if is_file else None)
    return run_there(elsewhere, words, files, folder)
