"""Other load generators: how each is called, and its own counts out of its own output. Errors never count as answers.

Our engine is called the same way here, so that all are measured alike: as a process of its own, its CPU by wait4.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed


class Counts(msgspec.Struct, frozen=True):
    """What a generator says it saw: correct answers, and everything else that it noticed."""

    answers: int
    errors: int
    own_cpu_ns: int | None = None
    """Its CPU time while load ran, without opening connections before; None where it does not say."""


class Peer(msgspec.Struct, frozen=True):
    """A load generator; `command` takes (connections, seconds, URL), `counts` reads its output."""

    name: str
    executable: str
    version_command: list[str]
    version_pattern: str
    command: Callable[[int, int, str], list[str]]
    counts: Callable[[str], Counts]

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


def drive(peer: Peer, connections: int, seconds: int, url: str, cores: list[int]) -> Drive:
    """Run a generator on these cores to its end; MeasurementFailed with its own words when it fails."""
    command = ["taskset", "--cpu-list", ",".join(map(str, cores)), peer.executable]
    command += peer.command(connections, seconds, url)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        began = time.monotonic_ns()
        try:
            _, status, usage = os.wait4(process.pid, 0)  # the CPU time of this child alone
        except BaseException:
            process.kill()
            process.wait()
            raise
        elapsed = time.monotonic_ns() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode != 0:
        raise MeasurementFailed(f"{' '.join(command)} ended with {process.returncode}:\n{text.strip()[:500]}")
    return Drive(counts=peer.counts(text), cpu_ns=round((usage.ru_utime + usage.ru_stime) * 1e9), elapsed_ns=elapsed)


def engine(executable: Path, name: str, *options: str, verb: str = "load") -> Peer:
    """Our engine under given options; `verb` is `load` or `floor`."""
    return Peer(
        name=name,
        executable=str(executable),
        version_command=["--version"],
        version_pattern=r"hopcost-engine (\S+)",
        command=lambda connections, seconds, url: [
            *(verb, "--json", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", *options, url)
        ],
        counts=_engine_counts,
    )


def closing(peer: Peer) -> Peer | None:
    """The peer with a connection per request; None where it cannot, or counts the end as an error."""
    options = {"wrk": ["-H", "Connection: close"], "oha": ["--disable-keepalive"], "ab": []}.get(peer.name)
    if options is None:
        return None

    def command(connections: int, seconds: int, url: str) -> list[str]:
        usual = [option for option in peer.command(connections, seconds, url) if option != "-k"]
        return [*usual[:-1], *options, usual[-1]]

    return msgspec.structs.replace(peer, command=command)


def _engine_counts(text: str) -> Counts:
    content = json.loads(text)
    return Counts(
        answers=content["answers"], errors=sum(content["errors"].values()), own_cpu_ns=content["generator_cpu_ns"]
    )


def _wrk_counts(text: str) -> Counts:
    errors = sum(int(number) for number in re.findall(r"(?:connect|read|write|timeout) (\d+)", text))
    wrong = _number(r"Non-2xx or 3xx responses: (\d+)", text, 0)
    return Counts(answers=_number(r"(\d+) requests in", text) - wrong, errors=errors + wrong)


def _ab_counts(text: str) -> Counts:
    failed = _number(r"Failed requests:\s+(\d+)", text)
    wrong = _number(r"Non-2xx responses:\s+(\d+)", text, 0)
    return Counts(answers=_number(r"Complete requests:\s+(\d+)", text) - failed - wrong, errors=failed + wrong)


def _h2load_counts(text: str) -> Counts:
    succeeded = _number(r"status codes: (\d+) 2xx", text)
    return Counts(answers=succeeded, errors=_number(r"(\d+) failed", text))


def _oha_counts(text: str) -> Counts:
    content = json.loads(text)
    answers = sum(count for status, count in content["statusCodeDistribution"].items() if status.startswith("2"))
    everything = sum(content["statusCodeDistribution"].values()) + sum(content["errorDistribution"].values())
    aborted = content["errorDistribution"].get("aborted due to deadline", 0)
    return Counts(answers=answers, errors=everything - answers - aborted)


def _number(pattern: str, text: str, absent: int | None = None) -> int:
    found = re.search(pattern, text)
    if found is not None:
        return int(found[1])
    if absent is None:
        raise MeasurementFailed(f"no '{pattern}' in the generator's output:\n{text.strip()[-500:]}")
    return absent


WRK = Peer(
    name="wrk",
    executable="wrk",
    version_command=["-v"],
    version_pattern=r"wrk (?:debian/)?(\S+)",
    command=lambda connections, seconds, url: ["-t", "1", "-c", str(connections), "-d", f"{seconds}s", url],
    counts=_wrk_counts,
)
AB = Peer(
    name="ab",
    executable="ab",
    version_command=["-V"],
    version_pattern=r"Version (\S+)",
    # -t alone would stop at 50,000 requests; ab keeps one entry per request of -n, so that is bounded too.
    command=lambda connections, seconds, url: [
        *("-q", "-k", "-c", str(connections), "-t", str(seconds), "-n", str(200_000 * seconds), url)
    ],
    counts=_ab_counts,
)
H2LOAD = Peer(
    name="h2load",
    executable="h2load",
    version_command=["--version"],
    version_pattern=r"h2load nghttp2/(\S+)",
    command=lambda connections, seconds, url: [*("--h1", "-t", "1", "-c", str(connections), "-D", str(seconds), url)],
    counts=_h2load_counts,
)
OHA = Peer(
    name="oha",
    executable="oha",
    version_command=["--version"],
    version_pattern=r"oha (\S+)",
    command=lambda connections, seconds, url: [
        *("--no-tui", "--output-format", "json", "-c", str(connections), "-z", f"{seconds}s", url)
    ],
    counts=_oha_counts,
)
ALL = (WRK, AB, H2LOAD, OHA)
