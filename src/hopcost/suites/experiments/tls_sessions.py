"""How new TLS connections begin."""

from __future__ import annotations

from enum import Enum


class TlsSessions(Enum):
    """With the session of an earlier connection, or with a whole handshake each time."""

    RESUMED = "resumed"
    NEW = "new"
