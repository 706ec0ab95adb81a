"""`make leftovers`: runs are interrupted and killed at random moments, and what is left of each is counted.

Each trial starts a small run, waits a seeded random time (for a keeper or the engine: after it is there), and sends
SIGINT, SIGTERM or SIGKILL to the harness, to a keeper or to the engine. In the last trials the harness and its keepers
are killed at once, which nothing can answer: they are followed by `hopcost doctor --clean --yes`. Each trial is kept in
`records/leftovers.jsonl`; `--resume` goes on with those that are missing there. Exit code 1 when anything is left, 3
when trials are still to be done.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import psutil

from hopcost.machine.traces import command_line, descendants, held_namespaces, virtual_cards
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.namespaces import tool
from hopcost.stacks.sandbox.processes import MARK

REPOSITORY = Path(__file__).parents[1]
HOPCOST = REPOSITORY / ".venv" / "bin" / "hopcost"
KEPT = REPOSITORY / "records" / "leftovers.jsonl"
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
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
VICTIMS = ("harness", "keeper", "engine")
KINDS = ("processes", "namespaces", "veths", "cgroups", "socket files", "directories")
LONGEST_S = 5.0  # after the harness's start
LONGEST_SEEN_S = 1.5  # after the keeper or the engine is there
APPEARS_S = 30.0
PROGRAMS = {"keeper": "keeper.py", "engine": "hopcost-engine", "harness+keepers": "keeper.py"}
GOES_ON_S = 1.0  # a run that survives the signal is interrupted after this
ENDS_S = 30.0
GONE_S = 5.0  # the keepers of a killed harness clean up on their own


class Planned(msgspec.Struct, frozen=True):
    """Which process gets which signal, and when; it follows from the seed and the number."""

    number: int
    seed: int
    victim: str
    signal: str
    after_s: float


class Trial(Planned, frozen=True, kw_only=True):
    """What was done to whom, and what was left of it; a line of the file. `victim` is who got the signal."""

    left: dict[str, list[str]]
    before_cleaning: dict[str, list[str]] | None


def main() -> None:
    """Do the trials and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--double", type=int, default=10, help="trials in which harness and keepers are killed at once")
    parser.add_argument("--resume", action="store_true", help="keep the trials that were done")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no trial later than this")
    options = parser.parse_args()
    # A shell without job control starts background jobs with SIGINT ignored, which a child would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = plan(options.seed, options.count, options.double)
    trials = kept(KEPT.read_bytes(), wanted) if options.resume and KEPT.exists() else []
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_bytes(b"".join(map(line, trials)))
    deadline = time.monotonic() + options.seconds
    for planned in missing(wanted, trials):
        if time.monotonic() > deadline:
            break
        done = trial(planned)
        with KEPT.open("ab") as file:
            file.write(line(done))
        trials.append(done)
        left = sum(len(names) for names in done.left.values())
        print(f"{planned.number:3} {done.victim:16} {done.signal:8} {done.after_s:4.1f} s  left: {left}", flush=True)
    well = report(trials)
    print(f"{len(trials)} of {len(wanted)} trials are done")
    sys.exit(1 if not well else 0 if len(trials) == len(wanted) else 3)


def plan(seed: int, count: int, double: int) -> list[Planned]:
    """All trials, numbered from 1; the same for the same arguments."""
    planned = []
    for number in range(1, count + double + 1):
        chance = random.Random(f"{seed}-{number}")
        victim = chance.choice(VICTIMS) if number <= count else "harness+keepers"
        kind = chance.choice(SIGNALS) if number <= count else signal.SIGKILL
        after_s = chance.uniform(0, LONGEST_SEEN_S if victim in PROGRAMS else LONGEST_S)
        planned.append(Planned(number=number, seed=seed, victim=victim, signal=kind.name, after_s=after_s))
    return planned


def kept(text: bytes, wanted: list[Planned]) -> list[Trial]:
    """The trials of this plan among the lines of the file; one that was interrupted while writing is done again."""
    numbers = {(planned.seed, planned.number, planned.after_s) for planned in wanted}
    trials = msgspec.json.Decoder(Trial).decode_lines(text[: text.rfind(b"\n") + 1])
    return [planned for planned in trials if (planned.seed, planned.number, planned.after_s) in numbers]


def line(done: Trial) -> bytes:
    """As it stands in the file."""
    return msgspec.json.encode(done) + b"\n"


def missing(wanted: list[Planned], trials: list[Trial]) -> list[Planned]:
    """The trials that are still to be done."""
    done = {planned.number for planned in trials}
    return [planned for planned in wanted if planned.number not in done]


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


def look(owner: str, temporary: Path, family: set[int], namespaces: set[str], veths: set[str]) -> dict[str, list[str]]:
    """What is there of this run, by kind; empty when nothing is."""
    alive = [f"{pid} {command_line(pid)}" for pid in family if leftovers.is_alive(pid) and is_of(pid, owner, temporary)]
    files = list(temporary.rglob("*"))
    left = {
        "processes": alive,
        "namespaces": sorted(namespaces & {name for pid in psutil.pids() for name in held_namespaces(pid)}),
        "veths": sorted(virtual_cards() - veths),
        "cgroups": [str(path) for path in leftovers.find_cgroups() if owner in path.name],
        "socket files": [str(path) for path in files if path.is_socket()],
        "directories": [str(path) for path in files if path.is_dir() and path.name.startswith("hopcost-")],
    }
    return {kind: names for kind, names in left.items() if names}


def is_of(pid: int, owner: str, temporary: Path) -> bool:
    """Whether a pid seen in the run's family still is what it was: pids come again."""
    with contextlib.suppress(OSError):
        environment = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
        standing = str(Path(f"/proc/{pid}/cwd").readlink())
        return str(temporary) in environment or owner in standing or MARK in environment
    return False


def others_namespaces(family: set[int]) -> set[str]:
    """Network namespaces that these processes hold and this one does not."""
    return {name for pid in family for name in held_namespaces(pid)} - {*held_namespaces(os.getpid())}


def can_link() -> bool:
    """Whether arms may have links here."""
    return os.geteuid() == 0 and tool("tc") is not None


def report(trials: list[Trial]) -> bool:
    """The table; whether nothing was left."""
    print(f"\n{'signal to':17}{'signal':9}{'trials':>7}" + "".join(f"{kind:>14}" for kind in KINDS))
    for victim, kind in sorted({(done.victim, done.signal) for done in trials}):
        alike = [done for done in trials if (done.victim, done.signal) == (victim, kind)]
        counts = [sum(len(done.left.get(what, [])) for done in alike) for what in KINDS]
        print(f"{victim:17}{kind:9}{len(alike):7}" + "".join(f"{count:14}" for count in counts))
    bad = [done for done in trials if done.left]
    for done in bad:
        print(f"left: {done.victim} {done.signal} after {done.after_s:.2f} s: {done.left}")
    print(f"{len(trials)} interrupts and kills, {len(bad)} left something behind")
    doubles = [done.before_cleaning for done in trials if done.before_cleaning is not None]
    there = sum(len(names) for before in doubles for names in before.values())
    print(f"harness+keepers: counted after `hopcost doctor --clean --yes`, before which {there} things were there")
    return not bad


if __name__ == "__main__":
    main()
