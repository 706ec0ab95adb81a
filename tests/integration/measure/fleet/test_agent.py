"""The agent on this machine, and two who make one load from others."""

from __future__ import annotations

import json
import socket
import ssl
from pathlib import Path

from processes.running import wait_until

from hopcost import __version__
from hopcost.measure.fleet.agent import Agent
from hopcost.measure.fleet.authority import (
    AUTHORITY,
    STACKS,
    certificate_of,
    generator_names,
    key_of,
    make_certificates,
)
from hopcost.programs.generators.agent import AgentArm, AgentOrder

PROTOCOL = 1  # as in docs/reference/agent-protocol.md
LEADER, FOLLOWER = generator_names(2)


def an_order(folder: Path) -> AgentOrder:
    """With certificates for both, in this folder."""
    for name, content in make_certificates([STACKS, LEADER, FOLLOWER]).items():
        (folder / name).write_bytes(content)
    return AgentOrder(
        address="127.0.0.1:0",
        ca_file=str(folder / AUTHORITY),
        cert_file=str(folder / certificate_of(STACKS)),
        key_file=str(folder / key_of(STACKS)),
        generators=[LEADER, FOLLOWER],
        leader=LEADER,
        followers=[FOLLOWER],
        arms=[AgentArm("never frozen", None, [])],
        builds="any",
    )


def come(agent: Agent, folder: Path, name: str) -> ssl.SSLSocket:
    """Connect as this generator, and say hello."""
    context = ssl.create_default_context(cafile=str(folder / AUTHORITY))
    context.load_cert_chain(folder / certificate_of(name), folder / key_of(name))
    host, port = agent.address.rsplit(":", 1)
    connection = context.wrap_socket(socket.create_connection((host, int(port))), server_hostname=STACKS)
    hello = {"kind": "hello", "id": 0, "protocol": PROTOCOL, "version": __version__, "sha256": "of another build"}
    frame = json.dumps(hello).encode()
    connection.sendall(len(frame).to_bytes(4, "big") + frame)
    return connection


def welcomed(connection: ssl.SSLSocket) -> dict[str, object]:
    with connection.makefile("rb") as stream:
        answer: dict[str, object] = json.loads(stream.read(int.from_bytes(stream.read(4), "big")))
    return answer


def test_it_goes_on_when_both_have_come(tmp_path: Path) -> None:
    with (
        Agent(an_order(tmp_path)) as agent,
        come(agent, tmp_path, LEADER) as leader,
        come(agent, tmp_path, FOLLOWER) as follower,
    ):
        assert [welcomed(connection)["member"] for connection in (leader, follower)] == [0, 1]
        assert not agent.has_ended


def test_the_one_that_is_lost_is_named(tmp_path: Path) -> None:
    with Agent(an_order(tmp_path)) as agent, come(agent, tmp_path, LEADER) as leader:
        with come(agent, tmp_path, FOLLOWER) as follower:
            assert [welcomed(connection)["member"] for connection in (leader, follower)] == [0, 1]
        assert wait_until(lambda: agent.has_ended)
        assert agent.has_lost_one()
        assert agent.why_ended().startswith(f"lost: `{FOLLOWER}` closed the connection")
