"""Who may speak to a fleet's scheduler: TLS 1.3, and a certificate of this run's authority."""

from __future__ import annotations

import asyncio
import ssl

import pytest

pytest.importorskip("distributed")

from distributed import Client, Scheduler, Security

from hopcost.measure.fleet.authority import make_certificates
from hopcost.measure.sites.dask import settings

NAMES = [settings.CONTROLLER, "a"]


def security_of(files: dict[str, bytes], name: str) -> Security:
    return settings.security(settings.own_files(files, name), name)


@pytest.mark.parametrize("role", ["scheduler", "worker", "client"])
def test_every_role_speaks_tls_1_3_and_no_less(role: str) -> None:
    security = security_of(make_certificates(NAMES), "a")
    listening = security.get_listen_args(role)["ssl_context"] if role != "client" else None
    for context in filter(None, [security.get_connection_args(role)["ssl_context"], listening]):
        assert context.minimum_version is ssl.TLSVersion.TLSv1_3
        assert context.verify_mode is ssl.CERT_REQUIRED


def test_a_site_gets_no_key_but_its_own() -> None:
    own = settings.own_files(make_certificates([*NAMES, "b"]), "a")
    assert set(own) == {"ca.pem", "a.pem", "a.key"}


def test_a_certificate_of_another_run_is_refused() -> None:
    settings.apply()

    async def speak() -> tuple[bool, bool]:
        files, foreign = make_certificates(NAMES), make_certificates(NAMES)
        security = security_of(files, settings.CONTROLLER)
        async with Scheduler(
            host="127.0.0.1", port=0, protocol="tls", security=security, **settings.NO_DASHBOARD
        ) as scheduler:
            heard = []
            for certificates in (files, foreign):
                try:
                    async with Client(
                        scheduler.address,
                        security=security_of(certificates, "a"),
                        asynchronous=True,
                        set_as_default=False,
                        timeout=3,
                    ):
                        heard.append(True)
                except (OSError, TimeoutError):
                    heard.append(False)
            return heard[0], heard[1]

    assert asyncio.run(speak()) == (True, False)
