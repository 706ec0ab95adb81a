"""What a prepared hop has besides if it is somebody's own configuration. Plain data."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hopcost.nginx.secrets import MASK


class Jail(msgspec.Struct, frozen=True):
    """What a prepared hop has besides if it runs in a jail.

    `made` are files of the stack's folder that are neither shown nor kept. `helpers` are commands by name: the origin
    that stands for all upstreams but the next hop, and a name server. `logs` are paths in the jail. `secrets` are the
    values of the configuration that nobody may see. `root` is the folder that stands for the root folder if there is
    no jail.
    """

    made: dict[str, bytes]
    authorities: str
    helpers: dict[str, list[str]]
    secrets: list[str]
    logs: list[str]
    notes: list[str]
    root: str | None = None

    def root_of(self, master: int) -> Path:
        """The folder in which its paths lie, as this process sees it; `master` is nginx's first process."""
        return Path(self.root or f"/proc/{master}/root")

    def mask(self, text: str) -> str:
        """A text without the secrets."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text


class InJail(msgspec.Struct, frozen=True):
    """The parts of a prepared hop."""

    version: str
    command: list[str]
    files: dict[str, str]
    children: int
    forks: bool
    jail: Jail
