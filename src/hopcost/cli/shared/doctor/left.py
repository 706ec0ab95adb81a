"""What hopcost has put on this machine: what `hopcost doctor --clean` removes, and what is the user's to remove."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import platformdirs

from hopcost import PACKAGE
from hopcost.cli.program import as_called
from hopcost.cli.shared.doctor import theirs as tools
from hopcost.errors import printable
from hopcost.history.default_file import default_file
from hopcost.machine.traces import command_line, held_namespaces, size_bytes
from hopcost.programs.build import cache as build_cache
from hopcost.record import names
from hopcost.record.secrets import mask_text
from hopcost.report.formats.text.wrapping import wrap
from hopcost.report.formatting import count
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.leftovers import Kind, Leftover

PACKAGES = "apt-packages"  # the file in the user's folder for state in which tools/apt notes what it installed
DPKG = Path("/var/lib/dpkg/info")
NODE_MODULES = ("tools/biome/node_modules", "tests/systems/apps/express/node_modules")
BUILT = (".venv", ".tools", "target", "dist", *NODE_MODULES)  # what `make` leaves in a checkout
WORDS_SHOWN = 60
INDENT, CONTINUED = "  ", " \\"


class Kept(msgspec.Struct, frozen=True):
    """Something that stays until the user removes it with this command."""

    what: str
    command: str


def lines(width: int) -> Iterator[str]:
    """All of it, in words and so many columns; what `--clean` removes comes first."""
    remains, cache = leftovers.find_leftovers(), cache_line()
    yield as_called("hopcost doctor --clean removes:")
    for line in [*map(leftover_line, remains), *([cache] if cache else [])] or ["nothing is there"]:
        yield from wrap(line, width, INDENT, break_words=False)
    in_use = leftovers.find_in_use()
    if in_use:
        yield "in use by living runs, gone when they end:"
        yield from wrap(_counted(in_use), width, INDENT)
    yield from _kept_lines("yours to remove:", [*records(), *history(), *packages(), *checkout()], width)
    theirs = [
        Kept(f"{place.tool}: {place.path} ({format_bytes(place.size)})", place.command) for place in tools.places()
    ]
    yield from _kept_lines("caches of tools that build, which your other projects use too:", theirs, width)
    yield "That is all, but for records in other folders: no user, no service, no setting."


def _kept_lines(title: str, kept: list[Kept], width: int) -> Iterator[str]:
    """Each with its command below it, on lines that a shell takes as one; nothing of none."""
    if kept:
        yield title
    for place in kept:
        yield from wrap(place.what, width, INDENT, break_words=False)
        *first, last = wrap(place.command, width - len(CONTINUED), 2 * INDENT, 3 * INDENT, break_words=False)
        yield from (f"{line}{CONTINUED}" for line in first)
        yield last


def leftover_line(leftover: Leftover) -> str:
    """A thing that a dead run left: `process 4711 (nginx: worker process)`."""
    detail = ""
    if leftover.kind is Kind.PROCESS:
        pid = int(leftover.what)
        spaces = sorted(_foreign_namespaces([pid]))
        detail = ", in ".join([printable(mask_text(command_line(pid)))[:WORDS_SHOWN], *spaces])
    elif leftover.kind is Kind.DIRECTORY:
        sockets = sum(path.is_socket() for path in Path(leftover.what).rglob("*"))
        size = format_bytes(size_bytes(Path(leftover.what)))
        detail = f"{size}, {sockets} socket files" if sockets else size
    return f"{leftover.kind.value} {leftover.what}" + (f" ({detail})" if detail else "")


def _counted(things: list[Leftover]) -> str:
    """`processes: 3, network namespaces: 1, …`: of living runs nobody needs the names."""
    pids = [int(thing.what) for thing in things if thing.kind is Kind.PROCESS]
    spaces = _foreign_namespaces(pids)
    cgroups, directories = (sum(thing.kind is kind for thing in things) for kind in (Kind.CGROUP, Kind.DIRECTORY))
    return f"processes: {len(pids)}, network namespaces: {len(spaces)}, cgroups: {cgroups}, directories: {directories}"


def _foreign_namespaces(pids: list[int]) -> set[str]:
    """Network namespaces that these processes hold and this one does not; each is gone with its last process."""
    return {name for pid in pids for name in held_namespaces(pid)} - {*held_namespaces(os.getpid())}


def cache_line() -> str | None:
    """The cache with what is in it; None without one."""
    place = build_cache.cache_folder()
    if not place.is_dir():
        return None
    return f"cache {place} ({format_bytes(size_bytes(place))}: built programs, made again when a run needs them)"


def records() -> list[Kept]:
    """The records in the folder that hopcost looks in; those under --record elsewhere are not known."""
    number = len(names.record_names())
    size = format_bytes(size_bytes(names.FOLDER))
    what = f"{count(number, 'record')} here, in {names.FOLDER.resolve()} ({size})"
    return [Kept(what, f"rm -r {names.FOLDER}")] if number else []


def history() -> list[Kept]:
    """The user's own database of kept records; one that --database or its variable names is not known."""
    file = default_file()
    if not file.is_file():
        return []
    size = sum(part.stat().st_size for part in file.parent.glob(f"{file.name}*"))
    return [Kept(f"the history of kept records: {file} ({format_bytes(size)})", f"rm {file}*")]


def packages(note: Path | None = None, installed: Path = DPKG) -> list[Kept]:
    """The packages that `make setup` or `make demo` had apt install, and that are still there."""
    note = note or platformdirs.user_state_path("hopcost") / PACKAGES
    noted = note.read_text(encoding="utf-8").split() if note.is_file() else []
    there = [name for name in noted if any(installed.glob(f"{name}.list")) or any(installed.glob(f"{name}:*.list"))]
    words = " ".join(there)
    return [Kept(f"packages that apt installed for hopcost ({words})", f"apt-get remove {words}")] if there else []


def checkout() -> list[Kept]:
    """What `make` has built in the checkout that hopcost runs from; nothing for an installed wheel."""
    root = PACKAGE.parents[1]
    if not (root / "Cargo.toml").is_file():
        return []
    built = [name for name in BUILT if (root / name).is_dir()]
    size = format_bytes(sum(size_bytes(root / name) for name in built))
    return [Kept(f"built in the checkout {root} ({size})", f"cd {root} && rm -r {' '.join(built)}")] if built else []


def format_bytes(size: int) -> str:
    """With two or three digits.

    >>> [format_bytes(size) for size in (0, 999, 1_500, 12_345, 412_345_678, 2_340_000_000)]
    ['0 B', '999 B', '1.5 kB', '12 kB', '412 MB', '2.3 GB']
    """
    value, units = float(size), ["B", "kB", "MB", "GB"]
    while value >= 1000 and len(units) > 1:
        value, units = value / 1000, units[1:]
    digits = 1 if value < 10 and units[0] != "B" else 0
    return f"{value:.{digits}f} {units[0]}"
