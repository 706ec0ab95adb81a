"""How Dask is set: quiet on machines that are measured, strict about what is lost, TLS 1.3 only."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Mapping
from typing import Any

import msgspec

from hopcost.errors import needs_extra
from hopcost.measure.fleet.authority import AUTHORITY, certificate_of, key_of

with needs_extra("fleet", "a fleet"):
    import dask
    from distributed import Security

CONTROLLER = "controller"  # its name in the certificates
TCP_S = 12  # Dask takes no less; the lifeline's lease is shorter, so a site is clean before it is given up
LEASE_S, BEAT_S = 5.0, 1.0  # of the lifeline: a link that is down for three seconds ends nothing
SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,  # a block is never silently run again elsewhere
    "distributed.scheduler.worker-ttl": f"{TCP_S}s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.low-level-log-length": 0,
    "distributed.admin.log-format": "%(name)s: %(message)s",
    "distributed.diagnostics.nvml": False,
    "distributed.comm.timeouts.connect": "5s",
    "distributed.comm.timeouts.tcp": f"{TCP_S}s",
    "distributed.client.scheduler-info-interval": "10s",
    "distributed.deploy.cluster-repr-interval": "10s",
    "distributed.deploy.lost-worker-timeout": "1h",  # who is lost is started anew by us, or leaves
}
NO_DASHBOARD: dict[str, Any] = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # it always listens somewhere


class WorkerOrder(msgspec.Struct, frozen=True):
    """What a worker gets on its standard input: nothing of it is on a command line, or on a disk."""

    scheduler: str
    name: str
    host: str
    alone: bool
    tls: dict[str, str]


def apply() -> None:
    """In this process."""
    dask.config.set(SETTINGS)
    for name in ("distributed", "distributed.client", "asyncssh"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what is lost, the record tells


def own_files(files: Mapping[str, bytes], name: str) -> dict[str, str]:
    """The authority's certificate, and one party's certificate and key, out of all."""
    return {file: files[file].decode() for file in (AUTHORITY, certificate_of(name), key_of(name))}


def security(files: Mapping[str, str], name: str) -> Security:
    """TLS for a party, in every role of Dask."""
    certificate, key = files[certificate_of(name)], files[key_of(name)]
    roles = {
        f"tls_{role}_{part}": text
        for role in ("scheduler", "worker", "client")
        for part, text in (("cert", certificate), ("key", key))
    }
    return Security(
        require_encryption=True, tls_ca_file=files[AUTHORITY], tls_min_version=ssl.TLSVersion.TLSv1_3, **roles
    )
