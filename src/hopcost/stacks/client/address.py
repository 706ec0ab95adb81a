"""An address that a hop listens on, and how a client reaches it."""

from __future__ import annotations

import socket
import ssl

import msgspec

from hopcost.suites.arms.arm import Link

LOOPBACK = "127.0.0.1"


class Address(msgspec.Struct, frozen=True):
    """Where a hop listens: `address` is `host:port`, or a socket file's path; `ca_file` is whom a client trusts.

    Its certificate must be of `server_name` (None: of the address), unless nobody is to `verify` it.
    """

    link: str
    address: str
    ca_file: str | None = None
    server_name: str | None = None
    verify: bool = True

    @property
    def is_unix(self) -> bool:
        """Whether it is a socket file."""
        return Link(self.link).is_unix

    @property
    def is_tls(self) -> bool:
        """Whether the client's first bytes are a handshake."""
        return Link(self.link).is_tls

    @property
    def is_http2(self) -> bool:
        """Whether load speaks HTTP/2 there. A check before load speaks HTTP/1.1, which such a server knows too."""
        return Link(self.link).is_http2

    @property
    def host(self) -> str:
        """Its host without brackets; empty for a socket file.

        >>> Address("http+tcp", "[::1]:80").host, Address("http+tcp", "127.0.0.1:80").host
        ('::1', '127.0.0.1')
        """
        return "" if self.is_unix else self.address.rpartition(":")[0].removeprefix("[").removesuffix("]")

    @property
    def port(self) -> int | None:
        """Its port; None for a socket file."""
        return None if self.is_unix else int(self.address.rpartition(":")[2])

    @property
    def wire(self) -> str:
        """`http`, `https` or `fastcgi`; HTTP/2 is a way to speak `https`.

        >>> [Address(link, "127.0.0.1:80").wire for link in ("http+tcp", "http2+tls", "fastcgi+tcp")]
        ['http', 'https', 'fastcgi']
        """
        return "https" if self.is_tls else self.link.partition("+")[0]

    @property
    def url(self) -> str:
        """For a person; a socket file in the form that `hopcost load` takes."""
        return f"http+unix://{self.address.replace('/', '%2F')}" if self.is_unix else f"{self.wire}://{self.address}"

    def connect(
        self, timeout_s: float, context: ssl.SSLContext | None = None, session: ssl.SSLSession | None = None
    ) -> socket.socket:
        """A connected socket, after the handshake if it speaks TLS; OSError if nobody listens or TLS fails.

        A TLS `session` is resumed in the `context` that it comes from, if the server lets it.
        """
        if self.is_unix:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(timeout_s)
            try:
                connection.connect(self.address)
            except OSError:
                connection.close()
                raise
            return connection
        assert self.port is not None, "no socket file"
        connection = socket.create_connection((self.host, self.port), timeout=timeout_s)
        if not self.is_tls:
            return connection
        try:
            host = self.server_name or self.host
            return (context or self.trust()).wrap_socket(connection, server_hostname=host, session=session)
        except OSError:
            connection.close()
            raise

    def trust(self) -> ssl.SSLContext:
        """Whom a client trusts."""
        context = ssl.create_default_context(cafile=self.ca_file)
        context.set_alpn_protocols(["http/1.1"])
        if not self.verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context
