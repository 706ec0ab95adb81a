"""Building the programs that are made from source, if they are not built yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from hopcost.errors import CannotMeasure
from hopcost.programs.build import cache as build_cache
from hopcost.programs.build.cache import is_built
from hopcost.programs.read import read_program
from hopcost.programs.receipt import find_executable, installed


def build_program(name: str) -> None:
    """Make the program's executable in the user's cache, if it is not there; CannotMeasure when that fails."""
    program = read_program(name)
    if program.build is None or is_built(program):
        return
    _require_tool(name)
    build_cache.make(name, program.folder, program.build, program.install)
    installed.cache_clear()


def _require_tool(name: str) -> None:
    """CannotMeasure if the tool that builds the program is not installed."""
    program = read_program(name)
    if program.build is not None and find_executable(program.build.tool) is None:
        raise CannotMeasure(f"{name} cannot be built: '{program.build.tool}' is not installed", program.install)


def telling(say: Callable[[str], None]) -> Callable[[str], AbstractContextManager[None]]:
    """What `build_missing` builds within if nobody watches: `say` gets each name before."""

    @contextmanager
    def building(name: str) -> Iterator[None]:
        say(name)
        yield

    return building


def build_missing(programs: Iterable[str], building: Callable[[str], AbstractContextManager[None]]) -> list[str]:
    """Build the programs that are made from source and not built yet; the reasons why some could not be.

    Each program is built within what `building` gives for its name. From now on this process holds the cache.
    """
    build_cache.hold()
    problems = []
    for name in programs:
        if read_program(name).build is not None and installed(name).missing:
            try:
                _require_tool(name)
                with building(name):
                    build_program(name)
            except CannotMeasure as error:
                problems.append(error.message)
    return problems
