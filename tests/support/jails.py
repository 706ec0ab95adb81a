"""Stacks whose first hop is somebody's own nginx.conf, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopcost.nginx.read import read_configuration
from hopcost.nginx.sites import Site, choose_site
from hopcost.plan.cores import Cores
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.arms.configuration import Configuration

ORIGIN = {"any_path": "/json"}
BODY_BYTES = 1024  # of that route
CORES = Cores(stack=[0], generator=[0])


def site_of(file: Path) -> tuple[Configuration, Site]:
    """A file as a suite names it, and its site."""
    site = choose_site(read_configuration(file))
    return Configuration(file=str(file), port=site.port, host=site.host), site


def arm_of(configuration: Configuration, site: Site) -> Arm:
    """The arm of a configuration: before hopcost's origin, if it passes requests on."""
    hops = [Hop("mine", Link.HTTPS_TCP if site.is_tls else Link.HTTP_TCP, configuration=configuration)]
    if site.upstreams:
        protocol = "fastcgi" if site.upstreams[0].protocol == "fastcgi" else "http"
        transport = "unix" if site.upstreams[0].path else "tcp"
        hops.append(Hop("origin", Link(f"{protocol}+{transport}"), settings=dict(ORIGIN)))
    return Arm(hops=hops)


@contextmanager
def running(arm: Arm, label: str = "jail") -> Iterator[RunningStack]:
    """The arm's stack."""
    network.leave_the_hosts()
    host = Local(find_freezer(), network.find_network())
    with RunningStack("mine", arm, {}, CORES, host, label) as stack:
        yield stack


def ask(stack: RunningStack, target: str = "/", *more: tuple[str, str]) -> HttpAnswer:
    """The answer of the site to one request."""
    configuration = stack.prepared.hops[0].configuration
    assert configuration is not None, "the stack is that of a configuration"
    with stack.as_client():
        return check.ask("mine", stack.prepared.address, target, [("Host", configuration.host), *more])
