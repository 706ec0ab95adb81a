"""The user's own nginx.conf as a program: how it can be reached, and which nginx reads it."""

from __future__ import annotations

from hopcost.programs.definition.definition import Program
from hopcost.suites.arms.arm import Link
from hopcost.suites.arms.configuration import Configuration

NGINX = "nginx"
LINKS = [Link.HTTP_TCP, Link.HTTPS_TCP, Link.HTTP2_TLS]
UPSTREAM_LINKS = [Link.HTTP_TCP, Link.HTTP_UNIX, Link.FASTCGI_TCP, Link.FASTCGI_UNIX]


def program_of_configuration(name: str, configuration: Configuration) -> Program:
    """The definition of an nginx that reads this file: its settings stand there."""
    return Program(
        name=name,
        title="your own nginx.conf",
        links=LINKS,
        command=[configuration.nginx],
        version_command=["{executable}", "-v"],
        version_pattern=r"nginx/(\S+)",
        install="apt-get install nginx (as root)",
        executable=configuration.nginx,
        upstream_links=UPSTREAM_LINKS,
        answers=True,
        forks=True,
    )


def executable_of(configuration: Configuration) -> str | None:
    """The path of the user's own nginx; None for the one that is installed."""
    return None if configuration.nginx == NGINX else configuration.nginx
