"""Other load generators: how each is called and run; peer_output.py reads what they print.

Each is a process of its own, its CPU read by wait4.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed, UsageError, nearest
from hopcost.generators.peers import output as peers_output
from hopcost.generators.peers.output import Counts

OUTPUT_KEPT = 4000  # characters of what it printed, for the record


class Peer(msgspec.Struct, frozen=True):
    """A load generator; `counts` reads its output."""

    name: str
    executable: str
    version_command: list[str]
    version_pattern: str
    counts: Callable[[str], Counts]
    exit_codes: tuple[int, ...] = (0,)

    def version(self) -> str | None:
        """Its version; None when it is not installed."""
        if self.path() is None:
            return None
        run = subprocess.run([self.executable, *self.version_command], capture_output=True, text=True, check=False)
        found = re.search(self.version_pattern, run.stdout + run.stderr)
        return found[1] if found else None

    def path(self) -> str | None:
        """Where it is; None when it is not installed."""
        return shutil.which(self.executable)


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

    MeasurementFailed with its own words when it fails, prints no counts, or lasts for more than `at_most_s`.
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
    """A long output's beginning and end: what is wrong stands in one of them."""
    return text if len(text) <= 600 else f"{text[:300]} … {text[-300:]}"


def engine(executable: Path, name: str) -> Peer:
    """Our engine, called and read like a peer."""
    return Peer(
        name=name,
        executable=str(executable),
        version_command=["--version"],
        version_pattern=r"hopcost-engine (\S+)",
        counts=peers_output.engine,
        exit_codes=(0, 4),  # 4: the run calls itself suspect, for steal perhaps, which here all share
    )


class PeerLoad(msgspec.Struct, frozen=True):
    """What a peer is to do: either `seconds` or `requests` ends it. `connections` at once; kept, or one per request."""

    url: str
    connections: int
    seconds: int | None = None
    requests: int | None = None
    threads: int = 1
    headers: list[tuple[str, str]] = []
    keep_alive: bool = True
    options: list[str] = []
    timeout_s: int | None = None  # None: the tool's own


def refuse_unable(name: str, requests_per_connection: int | None) -> None:
    """CannotMeasure where a peer does not do so many requests per connection (None: all on one that is kept)."""
    if requests_per_connection is None:
        return
    if requests_per_connection > 1:
        raise CannotMeasure(
            f"{name} does not close connections after {requests_per_connection} requests: after all or none"
        )
    if name == "h2load":
        raise CannotMeasure(f"{name} opens no connection for each request")


def words(name: str, load: PeerLoad) -> list[str]:
    """The words behind a peer's name on the command line."""
    connections, fields = str(load.connections), [f"{key}: {value}" for key, value in load.headers]
    headers = [word for field in fields for word in ("-H", field)]
    match name:
        case "wrk":
            assert load.seconds is not None, "wrk knows no number of requests: the suite's check says so"
            close = [] if load.keep_alive else ["-H", "Connection: close"]
            ends = ["-t", str(min(load.threads, load.connections)), "-c", connections, "-d", f"{load.seconds}s"]
            timeout = [] if load.timeout_s is None else ["--timeout", f"{load.timeout_s}s"]
            return [*ends, *timeout, "--latency", *headers, *close, *load.options, load.url]
        case "ab":
            # -t alone would stop at 50,000 requests; ab keeps one entry per request of -n, so that is bounded too.
            ends = (
                ["-n", str(load.requests)]
                if load.seconds is None
                else ["-t", str(load.seconds), "-n", str(200_000 * load.seconds)]
            )
            keep = ["-k"] if load.keep_alive else []
            return ["-q", *keep, "-c", connections, *ends, *headers, *load.options, load.url]
        case "h2load":
            ends = ["-n", str(load.requests)] if load.seconds is None else ["-D", str(load.seconds)]
            fields = [f"--header={field}" for field in fields]
            threads = ["-t", str(min(load.threads, load.connections))]
            return ["--h1", *threads, "-c", connections, *ends, *fields, *load.options, load.url]
        case "oha":
            ends = ["-n", str(load.requests)] if load.seconds is None else ["-z", f"{load.seconds}s"]
            close = [] if load.keep_alive else ["--disable-keepalive"]
            quiet = ["--no-tui", "--output-format", "json", "--disable-compression"]  # see hey
            trusting = ["--insecure"] if load.url.startswith("https:") else []
            return [*quiet, "-c", connections, *ends, *headers, *close, *trusting, *load.options, load.url]
        case "hey":
            ends = ["-n", str(load.requests)] if load.seconds is None else ["-z", f"{load.seconds}s"]
            close = [] if load.keep_alive else ["-disable-keepalive"]
            timeout = [] if load.timeout_s is None else ["-t", str(load.timeout_s)]
            # Else it would ask for gzip by itself, which the arms would not do alike.
            return [
                *ends,
                "-c",
                connections,
                *timeout,
                "-disable-compression",
                *headers,
                *close,
                *load.options,
                load.url,
            ]
    raise UsageError(f"no load generator is called '{name}'", nearest(name, BY_NAME))


WRK = Peer(
    name="wrk",
    executable="wrk",
    version_command=["-v"],
    version_pattern=r"wrk (?:debian/)?(\S+)",
    counts=peers_output.wrk,
)
AB = Peer(
    name="ab",
    executable="ab",
    version_command=["-V"],
    version_pattern=r"Version (\S+)",
    counts=peers_output.ab,
)
H2LOAD = Peer(
    name="h2load",
    executable="h2load",
    version_command=["--version"],
    version_pattern=r"h2load nghttp2/(\S+)",
    counts=peers_output.h2load,
)
OHA = Peer(
    name="oha",
    executable="oha",
    version_command=["--version"],
    version_pattern=r"oha (\S+)",
    counts=peers_output.oha,
)
HEY = Peer(
    name="hey",
    executable="hey",
    version_command=["-h"],  # it has no version: that it prints its usage is the receipt
    version_pattern=r"Usage: hey()",
    counts=peers_output.hey,
)
BY_NAME = {peer.name: peer for peer in (WRK, AB, H2LOAD, OHA, HEY)}
