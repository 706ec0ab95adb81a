"""A run that this machine only starts and shows: hopcost runs on the stacks' machine, and its record is fetched."""

from __future__ import annotations

import base64
import io
import queue
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from hopcost import __version__
from hopcost.errors import CannotMeasure, Interrupted, MeasurementFailed
from hopcost.measure.fleet.ssh import scripts
from hopcost.measure.fleet.ssh.connection import Connection
from hopcost.measure.fleet.ssh.names import GENERATOR_ROLE, STACKS_ROLE, Elsewhere
from hopcost.measure.fleet.ssh.scripts import Finished

LOOK_S = 1.0  # between two looks whether somebody interrupts
RECORD, KNOWN_HOSTS = "record", "known_hosts"  # in the folder there
OWN_OPTIONS = ("--on", "--ssh-key", "--known-hosts", "--record")  # each with a value; of this machine


def words_there(words: Sequence[str], suite: str, suite_file: str | None) -> list[str]:
    """The words of `hopcost run` without this machine's own options; a suite of this machine is that file there.

    >>> words_there(["my.toml/one", "--quick", "--on", "s=a,g=b", "--record=x"], "my.toml/one", "suite.toml/one")
    ['suite.toml/one', '--quick']
    """
    kept: list[str] = []
    left = iter(words)
    for word in left:
        if word in OWN_OPTIONS:
            next(left, None)
        elif not any(word.startswith(f"{option}=") for option in OWN_OPTIONS):
            kept.append(suite_file if word == suite and suite_file is not None else word)
    return kept


def run_there(elsewhere: Elsewhere, words: Sequence[str], files: dict[str, bytes], record: Path) -> int:
    """Run hopcost there with these words and files, show what it says, and fetch its record; its exit code.

    CannotMeasure if it cannot begin there, MeasurementFailed if the connection is lost, Interrupted by Ctrl-C.
    """
    assert elsewhere.stacks is not None, "a run on this machine needs nobody to carry it"
    connection = Connection(STACKS_ROLE, elsewhere.stacks, elsewhere.access, forwards_agent=True)
    try:
        _require_version(connection)
        folder = connection.hold(scripts.HOLD_RUN, str(scripts.LEASE_S), beat_s=scripts.BEAT_S)
        known_hosts = elsewhere.access.known_hosts.expanduser()
        known = known_hosts.read_bytes() if known_hosts.exists() else b""
        _put(connection, folder, {**files, KNOWN_HOSTS: known})
        generators = ",".join(f"{GENERATOR_ROLE}={login.text}" for login in elsewhere.generators)
        own = ["--on", generators, "--known-hosts", f"{folder}/{KNOWN_HOSTS}"]
        ended = _show(connection, folder, [*words, *own, "--record", f"{folder}/{RECORD}"])
        fetched = fetch(connection.run(scripts.FETCH_RECORD, folder).output, record)
    finally:
        connection.close()
    if fetched:
        print(f"record: {record}", file=sys.stderr)
    if ended.status is None:
        raise MeasurementFailed(f"{elsewhere.stacks.host}: {ended.errors.strip() or 'hopcost there was killed'}")
    if ended.status == Interrupted.exit_code:
        raise Interrupted("it was told to end there")
    return ended.status


def fetch(packed: str, record: Path) -> bool:
    """Unpack a record; whether there is one. Nothing is written outside its folder."""
    if not packed.strip():
        return False
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed)), mode="r:gz") as archive:
        for entry in archive:
            path = PurePosixPath(entry.name)
            content = archive.extractfile(entry) if entry.isfile() else None
            if content is None or path.is_absolute() or ".." in path.parts:
                continue
            target = record.joinpath(*path.parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())
    return True


def _require_version(connection: Connection) -> None:
    there = connection.run(scripts.HOPCOST)
    version = there.output.split()[-1] if there.status == 0 and there.output.split() else None
    if version != __version__:
        raise CannotMeasure(
            f"{connection.login.host}: it has {'hopcost ' + version if version else 'no hopcost'}, this machine"
            f" {__version__}",
            f"install hopcost {__version__} with its extra fleet there, on the PATH of ssh {connection.login.words()}",
        )


def _put(connection: Connection, folder: str, files: dict[str, bytes]) -> None:
    done = connection.run(scripts.PUT_FILES, folder, data=scripts.packed(files))
    if done.status != 0:
        raise CannotMeasure(f"{connection.login.host}: files cannot be put into {folder}: {done.last_line}", None)


def _show(connection: Connection, folder: str, words: Sequence[str]) -> Finished:
    """Run it and pass on what it says; it is told of an interrupt, and its end is waited for."""
    ends: queue.SimpleQueue[Finished] = queue.SimpleQueue()

    def write(stream: BinaryIO, chunk: bytes) -> None:
        stream.write(chunk)
        stream.flush()

    connection.start(
        scripts.RUN_HOPCOST,
        folder,
        *words,
        data=b"",
        on_output=lambda chunk: write(sys.stdout.buffer, chunk),
        on_errors=lambda chunk: write(sys.stderr.buffer, chunk),
        on_end=ends.put,
    )
    while True:
        try:
            return ends.get(timeout=LOOK_S)
        except queue.Empty:
            continue
        except KeyboardInterrupt:
            connection.run(scripts.INTERRUPT_RUN, folder)
