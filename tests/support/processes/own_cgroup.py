"""A cgroup for each process that runs tests: what its tests leave behind is told from what those of others leave."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hopcost.machine.proc import own_cgroups
from hopcost.stacks.sandbox.leftovers import HIERARCHIES


@contextlib.contextmanager
def own_cgroup() -> Iterator[None]:
    """This process in a cgroup of its own in every hierarchy that hopcost uses, as far as this user may."""
    mounts, own = Path("/proc/mounts").read_text(), Path("/proc/self/cgroup").read_text()
    parents = {str(folder) for kind in HIERARCHIES for _, folder in own_cgroups(mounts, own, kind)}
    with contextlib.ExitStack() as entered:
        for parent in map(Path, sorted(parents)):
            with contextlib.suppress(OSError):
                folder = parent / f"tests-{os.getpid()}"
                folder.mkdir()
                entered.callback(folder.rmdir)
                _enter(folder)
                entered.callback(_enter, parent)
        yield


def _enter(folder: Path) -> None:
    (folder / "cgroup.procs").write_text(str(os.getpid()))
