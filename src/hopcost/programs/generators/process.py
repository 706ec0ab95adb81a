"""Runs another load generator to its end: a process of its own on given cores, its CPU time by wait4."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.programs.generators.peers.peer import Counts, Peer

OUTPUT_KEPT = 4000  # characters of what it printed, for the record
VERSION_S = 10.0  # at most, to print a version


def version_of(peer: Peer) -> str | None:
    """Its version; None if it is not installed or prints none in time."""
    if shutil.which(peer.executable) is None:
        return None
    try:
        run = subprocess.run(
            [peer.executable, *peer.version_command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VERSION_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(peer.version_pattern, run.stdout + run.stderr)
    return version[1] if version else None


class Drive(msgspec.Struct, frozen=True):
    """One run of a generator: its counts, its CPU time (user and system, all threads, ns), its wall time."""

    counts: Counts
    cpu_ns: int
    elapsed_ns: int
    output: str = ""


def run_peer(
    peer: Peer, command: list[str], cores: list[int], prefix: Sequence[str] = (), at_most_s: float | None = None
) -> Drive:
    """Run a command of this peer behind a prefix (`nsenter …`) to its end, in a session of its own.

    MeasurementFailed with its own words if it fails, prints no counts, or lasts for more than `at_most_s`.
    """
    whole = [*prefix, "taskset", "--cpu-list", ",".join(map(str, cores)), *command]
    if (setpriv := shutil.which("setpriv")) is not None:
        whole = [setpriv, "--pdeathsig", "KILL", "--", *whole]  # the harness may be killed meanwhile
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            whole, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        late = threading.Timer(at_most_s, process.kill) if at_most_s is not None else None
        began = time.monotonic_ns()
        try:
            if late is not None:
                late.start()
            _, status, usage = os.wait4(process.pid, 0)  # the CPU time of this child alone
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            if late is not None:
                late.cancel()
        elapsed = time.monotonic_ns() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode not in peer.exit_codes:
        too_long = at_most_s is not None and elapsed > at_most_s * 1e9
        how = f"was ended after {at_most_s:.0f} s" if too_long else f"ended with {process.returncode}"
        raise MeasurementFailed(f"{' '.join(command)} {how}:\n{_ends(text.strip())}")
    cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)
    return Drive(counts=peer.counts(text), cpu_ns=cpu_ns, elapsed_ns=elapsed, output=text[-OUTPUT_KEPT:])


def _ends(text: str) -> str:
    """A long output's beginning and end: one of them names the error."""
    return text if len(text) <= 600 else f"{text[:300]} … {text[-300:]}"
