"""Two machines as namespaces: they reach each other, and nothing of them can be left behind."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from hopcost.stacks.sandbox import namespaces
from tools.truth.sections.machines.apart import STACKS, apart

NAMED = Path("/run/netns")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make namespaces outside a user namespace")
def test_the_generator_reaches_the_stacks_and_no_name_is_made() -> None:
    before = set(NAMED.glob("*"))
    home = Path(namespaces.OWN).stat().st_ino
    with apart() as machines:
        assert set(NAMED.glob("*")) == before, "a kill would leave it"
        inodes = {Path(path).stat().st_ino for path in (machines.stacks, machines.generator)}
        assert len(inodes | {home}) == 3
        with namespaces.inside(machines.stacks):
            server = socket.create_server((STACKS, 0))
        with server, namespaces.inside(machines.generator):
            client = socket.create_connection(server.getsockname(), timeout=5)
            with client, server.accept()[0] as accepted:
                accepted.sendall(b"hello")
                assert client.recv(5) == b"hello"
    assert Path(namespaces.OWN).stat().st_ino == home
    assert not any(Path(path).exists() for path in (machines.stacks, machines.generator))
