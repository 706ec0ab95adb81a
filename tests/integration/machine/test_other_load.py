"""Other programs' CPU time as the kernel tells it."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from hopcost.machine import other_load
from hopcost.machine.other_load import ProgramTime

MS = 1_000_000


def test_a_program_that_computes_is_found_with_its_name() -> None:
    """As it is: a child of another session computes, and this process counts as another program."""
    before = other_load.processes()
    loop = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    try:
        deadline = time.monotonic() + 20
        used: list[ProgramTime] = []
        while time.monotonic() < deadline and not used:
            time.sleep(0.05)
            programs = other_load.other_programs(before, other_load.processes(), own=-1)
            used = [program for program in programs if program.pid == loop.pid and program.cpu_ns > 50 * MS]
        assert used and used[0].name.startswith("python")
        own = other_load.other_programs(before, other_load.processes(), own=os.getpid())
        assert loop.pid not in [program.pid for program in own], "a descendant"
    finally:
        loop.kill()
        loop.wait()
    kernel = {process.name for process in other_load.processes() if process.is_kernel}
    assert "kthreadd" in kernel or not kernel, "a container may hide them"
