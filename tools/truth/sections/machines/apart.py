"""Two machines as far as one can be two: network namespaces that a pair of virtual cards joins."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec

STACKS, GENERATOR = "198.18.102.1", "198.18.102.2"  # RFC 2544 sets 198.18.0.0/15 aside for benchmarks
CARD = "link0"


class Apart(msgspec.Struct, frozen=True):
    """The files of both namespaces, for `namespaces.inside`."""

    stacks: str
    generator: str


@contextlib.contextmanager
def apart() -> Iterator[Apart]:
    """Both, until the end of the context. Needs root."""
    names = [f"hopcost-truth-{os.getpid()}-{place}" for place in ("s", "g")]
    stacks, generator = names
    made: list[str] = []
    try:
        for name in names:
            _ip("netns", "add", name)
            made.append(name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", stacks, "link", "add", CARD, "type", "veth", "peer", "name", CARD, "netns", generator)
        for name, address in ((stacks, STACKS), (generator, GENERATOR)):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", CARD)
            _ip("-n", name, "link", "set", CARD, "up")
        yield Apart(*(str(Path("/run/netns", name)) for name in names))
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
