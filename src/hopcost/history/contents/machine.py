"""Which machine a record is of. Points of different machines never stand in one series."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

GIB = 1 << 30
UNKNOWN_HOST = "unknown"  # records of an older hopcost do not tell


class Machine(msgspec.Struct, frozen=True):
    """`key` is a digest of what makes two machines comparable; `host` is its name, for people."""

    key: str
    host: str


def machine_of(environment: Mapping[str, object], name: str | None = None) -> Machine:
    """The machine of a record's environment.json: the host, its CPU, its cores and its memory, to the GiB.

    A `name` stands in place of the host: runners of a CI that are alike are one machine then.
    """
    memory_bytes = environment.get("memory_bytes")
    host = _text(environment.get("host"))
    content = {
        "host": f"named {name}" if name else _text(environment.get("machine")) or host,
        "cpu": _text(environment.get("cpu")),
        "cores": environment.get("cores"),
        "allowed_cores": _count(environment.get("allowed_cores")),
        "memory_gib": round(memory_bytes / GIB) if isinstance(memory_bytes, int) else None,
    }
    digest = hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()
    return Machine(digest, name or host or UNKNOWN_HOST)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: object) -> int | None:
    return len(value) if isinstance(value, list) else None
