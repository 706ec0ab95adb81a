"""What the measuring loop knows of an arm that answers: programs that hopcost started, or a running server."""

from __future__ import annotations

import contextlib
from typing import Protocol

from hopcost.record.contents.evidence import Memory, Surroundings, TimeWait
from hopcost.stacks.app.services import SharedService
from hopcost.stacks.prepare.prepared import PreparedStack


class Stack(Protocol):
    """An arm that answers: started by hopcost (running/stack.py), or running already (attached/stack.py)."""

    @property
    def arm(self) -> str:
        """The arm's name."""

    @property
    def prepared(self) -> PreparedStack:
        """What it consists of."""

    @property
    def surroundings(self) -> Surroundings | None:
        """What it runs in; None if hopcost did not make it."""

    @property
    def processes(self) -> dict[str, list[int]]:
        """The present processes of each hop, by hop name."""

    @property
    def network_namespace(self) -> str | None:
        """The file of the namespace in which a client opens its sockets; None for this process's own."""

    @property
    def freeze(self) -> dict[str, object] | None:
        """What freezes it, in the words of the engine's plan; None: nothing does."""

    @property
    def services(self) -> list[SharedService]:
        """The services that its apps use."""

    def as_client(self) -> contextlib.AbstractContextManager[None]:
        """Moves the calling thread into the namespace of a client."""

    def account_of(self, hop: str) -> str | None:
        """The cgroup that counts the CPU time of a hop, if one does."""

    def memory(self) -> dict[str, Memory]:
        """The memory of each hop, over its present processes."""

    def time_wait(self) -> list[TimeWait]:
        """The present connections in TIME_WAIT, by link and by the side that closed them."""

    def cpu_by_account(self) -> dict[str, int]:
        """CPU time used so far, in ns, by what counts it: stacks may have processes in common."""

    def failure(self) -> str | None:
        """What of it has ended; None while all of it runs."""


def hop_names(stack: Stack) -> list[str]:
    """The hops whose CPU time is the stack's: from the client's side to the origin, then what carries to services."""
    hops = [hop.name for hop in stack.prepared.hops]
    return [*hops, *(name for name in stack.processes if name not in hops)]
