"""Where a configuration's site is reached, and where the hop after it listens."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.nginx.sites import Site, choose_site
from hopcost.stacks.client.address import LOOPBACK, Address
from hopcost.stacks.jail.outcome import Outcome, outcome_of
from hopcost.stacks.jail.plain.copy import free_ports
from hopcost.stacks.jail.upstreams import SPOKEN, place_of
from hopcost.stacks.prepare.certificate import CERTIFICATE
from hopcost.suites.arms.arm import Hop, Link
from hopcost.suites.arms.configuration import Configuration

FIRST_PORT = 2900  # of what cannot listen where the configuration says; in a namespace of its own


def front_address(hop: Hop, configuration: Configuration, ip: str, directory: Path) -> Address:
    """Where the site is reached; UsageError if it is not reached so."""
    outcome = outcome_of(configuration)
    is_tls = site_of(outcome, configuration).is_tls
    if is_tls is not hop.link.is_tls:
        link = (Link.HTTPS_TCP if is_tls else Link.HTTP_TCP).value
        raise UsageError(
            f"{hop.program}: port {configuration.port} of {configuration.file} is not reached over {hop.link.value}",
            f"link = {link!r}",
        )
    ca_file = str(directory / CERTIFICATE) if is_tls else None
    name = configuration.host if is_tls else None
    port = configuration.port if outcome.why_no_jail is None else free_ports().take()
    return Address(hop.link.value, f"{ip}:{port}", ca_file=ca_file, server_name=name)


def next_address(configuration: Configuration, hop: Hop, socket: Path) -> Address:
    """Where the hop after the configuration listens: where the site sends requests, if it can listen there.

    UsageError if they do not speak the same protocol.
    """
    outcome = outcome_of(configuration)
    known = [upstream for upstream in site_of(outcome, configuration).upstreams if upstream.unknown is None]
    if not known:
        raise UsageError(
            f"{configuration.file}: {configuration.host}:{configuration.port} passes no request on",
            f"leave {hop.program} out: nobody would ask it",
        )
    protocol = SPOKEN.get(known[0].protocol, known[0].protocol)
    if hop.link.value.partition("+")[0] != protocol:
        raise UsageError(
            f"{hop.program} is reached over {hop.link.value}; {configuration.file} passes requests on by {protocol}",
            f"link = {protocol}+tcp or {protocol}+unix, and a program that speaks it",
        )
    if hop.copies > 1:
        raise UsageError(f"{hop.program}: copies: behind your own configuration there is one", "leave `copies` out")
    if hop.link.is_unix:
        return Address(hop.link.value, str(socket))
    if outcome.why_no_jail is not None:
        return Address(hop.link.value, f"{LOOPBACK}:{hop.fixed_port or free_ports().take()}")
    wanted = place_of(known[0])
    is_free = not wanted.path and wanted.port not in outcome.needs.ports
    port = hop.fixed_port or (wanted.port if is_free else next(free_ports_of(outcome)))
    host = wanted.host if hop.app is None and not wanted.path and hop.fixed_port is None else LOOPBACK
    return Address(hop.link.value, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


def site_of(outcome: Outcome, configuration: Configuration) -> Site:
    """The site that is measured."""
    return choose_site(outcome.text, configuration.host, configuration.port)


def free_ports_of(outcome: Outcome) -> Iterator[int]:
    """Ports that neither nginx listens on nor some upstream has."""
    taken = {*outcome.needs.ports, *(upstream.port for upstream in outcome.needs.upstreams)}
    return (port for port in itertools.count(FIRST_PORT) if port not in taken)
