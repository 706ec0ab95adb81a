"""One trial: a run is started, ended in the planned way, and what is left of it is looked for."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

from hopcost.machine.traces import command_line, descendants, virtual_cards
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.namespaces import tool
from tools.leftovers.plan import PROGRAMS, Planned, Trial
from tools.leftovers.remains import look, others_namespaces

REPOSITORY = Path(__file__).parents[2]
HOPCOST = REPOSITORY / ".venv" / "bin" / "hopcost"
RUN = ("run", "--quick", "--anyway", "--time", "20")  # on a busy machine it would wait for quiet, and start nothing
CLEAN = ("doctor", "--clean", "--yes")
SUITE = """
name = "leftovers"
title = "To be interrupted"
[arms.alone]
hops = [{ program = "origin", link = "http+tcp" }]
[arms.behind]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "origin", link = "http+unix" }]
[arms.linked]
hops = [{ program = "origin", link = "http+tcp" }]
LINK
[[experiments]]
name = "e"
question = "What is left?"
baseline = "alone"
arms = ["alone", "behind", "linked"]
placement = "all-cores"
workload = { connections = 8 }
"""
APPEARS_S = 30.0
GOES_ON_S = 1.0  # a run that survives the signal is interrupted after this
ENDS_S = 30.0
GONE_S = 5.0  # the keepers of a killed harness clean up on their own


def trial(planned: Planned) -> Trial:
    """Start a run, end it this way, count."""
    victim, kind = planned.victim, signal.Signals[planned.signal]
    with tempfile.TemporaryDirectory(prefix="hopcost-trial-") as folder:
        temporary = Path(folder) / "tmp"
        temporary.mkdir()
        suite = Path(folder) / "leftovers.toml"
        suite.write_text(SUITE.replace("LINK", "link_mbit_per_s = 1000" if can_link() else ""))
        veths = virtual_cards()
        harness = subprocess.Popen(
            [str(HOPCOST), *RUN, "--record", f"{folder}/record", str(suite)],
            env=os.environ | {"TMPDIR": str(temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        owner = leftovers.owner(harness.pid)
        wait_for(PROGRAMS.get(victim), harness.pid)
        time.sleep(planned.after_s)
        family = descendants(harness.pid)
        namespaces = others_namespaces(family)
        hit = strike(victim, kind, harness.pid, family)
        family |= descendants(harness.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            harness.wait(GOES_ON_S)
        if harness.poll() is None:
            family |= descendants(harness.pid)
            namespaces |= others_namespaces(family)
            harness.send_signal(signal.SIGINT)
        try:
            harness.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            harness.kill()
            harness.wait()
        before = None
        if victim == "harness+keepers":
            before = look(owner, temporary, family, namespaces, veths)
            environment = os.environ | {"TMPDIR": str(temporary), "XDG_CACHE_HOME": str(temporary)}  # not the cache
            subprocess.run([str(HOPCOST), *CLEAN], env=environment, stdout=subprocess.DEVNULL, check=False)
        deadline = time.monotonic() + GONE_S
        while (left := look(owner, temporary, family, namespaces, veths)) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in left.get("processes", []):  # counted; the next trial begins clean
            with contextlib.suppress(OSError):
                os.kill(int(pid.split()[0]), signal.SIGKILL)
        shutil.rmtree(temporary)
        return Trial(**msgspec.structs.asdict(planned) | {"victim": hit}, left=left, before_cleaning=before)


def strike(victim: str, kind: signal.Signals, harness: int, family: set[int]) -> str:
    """Send the signal; who got it: the harness if the other is not there yet."""
    of = PROGRAMS.get(victim)
    pids = sorted(pid for pid in family if of is not None and of in command_line(pid))
    targets = [harness, *pids] if victim == "harness+keepers" else pids[:1] or [harness]
    for pid in targets:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, kind)
    return victim if victim == "harness+keepers" or pids else "harness"


def wait_for(program: str | None, harness: int) -> None:
    """Until such a process is there, or the run is over."""
    deadline = time.monotonic() + APPEARS_S
    while program is not None and time.monotonic() < deadline and leftovers.is_alive(harness):
        if any(program in command_line(pid) for pid in descendants(harness)):
            return
        time.sleep(0.02)


def can_link() -> bool:
    """Whether arms may have links here."""
    return os.geteuid() == 0 and tool("tc") is not None
