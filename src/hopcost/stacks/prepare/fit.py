"""Whether the hops of an arm can stand in this order: what each can be reached over, and forward to."""

from __future__ import annotations

from hopcost.errors import UsageError
from hopcost.programs.definition.definition import Program
from hopcost.stacks.client.address import Address
from hopcost.suites.arms.arm import Arm, Link


def check_front(arm: Arm, where: str) -> None:
    """UsageError if the client cannot reach the first hop as the arm says."""
    first = arm.hops[0]
    if first.copies > 1:
        raise UsageError(
            f"{where}: {first.program}: copies: the client reaches one", "put a program that balances before them"
        )
    if arm.link_mbit_per_s is not None and first.link.is_unix:
        raise UsageError(
            f"{where}: link_mbit_per_s has no effect: the client reaches {first.program} over a Unix socket",
            "a link with a rate is for an arm that is reached over TCP",
        )


def check_links(where: str, definition: Program, link: Link, upstreams: list[Address]) -> None:
    """UsageError if a program cannot be reached over its link, or does not forward to the hop after it."""
    if link not in definition.links:
        known = ", ".join(known_link.value for known_link in definition.links)
        raise UsageError(f"{where}: {definition.name} cannot be reached over {link.value}", f"it can over {known}")
    if upstreams and Link(upstreams[0].link) not in definition.upstream_links:
        known = ", ".join(known_link.value for known_link in definition.upstream_links)
        hint = f"it can over {known}" if known else f"{definition.name} is an origin: it must be the last hop"
        raise UsageError(f"{where}: {definition.name} does not forward over {upstreams[0].link}", hint)
    if not upstreams and not definition.is_origin:
        raise UsageError(
            f"{where}: {definition.name} cannot be the last hop: it only forwards",
            'a hop that answers stands behind it, as { program = "origin", link = "http+tcp" }',
        )
    if len(upstreams) > 1 and not definition.balances:
        raise UsageError(
            f"{where}: {definition.name} does not balance: the next hop's copies: expected 1", "leave copies out there"
        )
