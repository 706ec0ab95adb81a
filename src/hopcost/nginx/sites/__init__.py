"""The sites of a configuration, and the one to measure: not the redirect to it."""

from __future__ import annotations

from dataclasses import dataclass

from hopcost.errors import UsageError
from hopcost.nginx.read.finder import takes_sites
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites.answers import Answers, answers_of
from hopcost.nginx.sites.listen import Listen, listens_of
from hopcost.nginx.sites.main_location import in_order_of_use
from hopcost.nginx.sites.names import best_match, host_for
from hopcost.nginx.sites.unused import sites_not_included
from hopcost.nginx.tree import Directive, inside, walk
from hopcost.nginx.upstreams import Upstream, find_upstreams

__all__ = ["Answers", "Listen", "Site", "choose_site", "find_sites"]

ANY_HOST = "localhost"


@dataclass(frozen=True)
class Site:
    """A server at one of its ports, and a host by which a request reaches it."""

    server: Directive
    listen: Listen
    port: int
    host: str
    answers: Answers
    upstreams: tuple[Upstream, ...]
    """where its locations pass requests to: the first is where most requests go"""

    @property
    def is_tls(self) -> bool:
        """Whether it is https."""
        return self.listen.is_tls

    @property
    def only_redirects(self) -> bool:
        """Whether every request is sent elsewhere."""
        return self.answers is Answers.REDIRECTS

    @property
    def closes(self) -> bool:
        """Whether every request is turned away."""
        return self.answers is Answers.CLOSES

    @property
    def url(self) -> str:
        """Where a browser would go."""
        scheme, usual = ("https", 443) if self.is_tls else ("http", 80)
        return f"{scheme}://{self.host}" + ("" if self.port == usual else f":{self.port}")


def find_sites(configuration: ConfigurationText) -> list[Site]:
    """All servers at all ports where a request can reach them, in the order in which they stand."""
    servers = find_servers(configuration)
    upstreams = find_upstreams(configuration)
    listens = {id(server): listens_of(server) for server in servers}
    sites: list[Site] = []
    for server in servers:
        own = tuple(in_order_of_use(server, upstreams))
        seen: set[int] = set()
        for listen in listens[id(server)]:
            if listen.port is None or listen.port in seen or not listen.can_be_loaded:
                continue
            beside = [other for other in servers if any(at.port == listen.port for at in listens[id(other)])]
            host = _host_of(server, beside, _default_of(beside, listens, listen.port))
            if host is not None:
                seen.add(listen.port)
                answers = answers_of(server, is_tls=listen.is_tls)
                sites.append(Site(server, listen, listen.port, host, answers, own))
    return sites


def find_servers(configuration: ConfigurationText) -> list[Directive]:
    """All `server` blocks of HTTP."""
    return [
        directive
        for directive, parents in walk(configuration)
        if directive.name == "server" and len(parents) == 1 and parents[0].name == "http"
    ]


def choose_site(configuration: ConfigurationText, host: str | None = None, port: int | None = None) -> Site:
    """The site to measure: the first that answers itself, those that pass requests on before others.

    A file that is a site alone is meant itself. `host` and `port` choose another. UsageError if there is none.
    """
    sites = find_sites(configuration)
    wanted = [site for site in sites if port in (None, site.port) and _is_called(site, host)]
    if sites and not wanted:
        known = ", ".join(dict.fromkeys(site.url for site in sites))
        raise UsageError(
            f"no site of {configuration.file} is at {host or 'any host'}:{port or 'any port'}", f"known: {known}"
        )
    in_file = [site for site in wanted if site.server.file == configuration.site_file]
    answering = [site for site in in_file or wanted if site.answers is Answers.SITE]
    if answering:
        return next((site for site in answering if site.upstreams), answering[0])
    raise _nothing_to_measure(configuration, in_file or wanted)


def _is_called(site: Site, host: str | None) -> bool:
    return host is None or host == site.host or best_match([server_names(site.server)], host) is not None


def server_names(server: Directive) -> list[str]:
    """All that `server_name` says."""
    return [name for directive in inside(server) if directive.name == "server_name" for name in directive.args]


def _default_of(servers: list[Directive], listens: dict[int, list[Listen]], port: int) -> Directive:
    """The server that answers at a port for hosts that none names: the one that says so, else the first."""
    for server in servers:
        if any(listen.port == port and listen.is_default for listen in listens[id(server)]):
            return server
    return servers[0]


def _host_of(server: Directive, beside: list[Directive], default: Directive) -> str | None:
    """A host by which this server answers and no other of the port; None if there is none."""
    names = [server_names(other) for other in beside]
    candidates = [host for name in server_names(server) if (host := host_for(name)) is not None]
    candidates += [ANY_HOST] if server is default else ["_"] if "_" in server_names(server) else []
    for host in candidates:
        best = best_match(names, host)
        if (beside[best] if best is not None else default) is server:
            return host
    return None


def _nothing_to_measure(configuration: ConfigurationText, sites: list[Site]) -> UsageError:
    unused = sites_not_included(configuration)
    hint = f"no include takes in {', '.join(unused)}; name it: hopcost conf {unused[0]}" if unused else None
    if not sites:
        servers = find_servers(configuration)
        if servers:
            at = f"{configuration.name_of(servers[0].file)}:{servers[0].line}"
            return UsageError(
                f"{at}: no port of {configuration.file} takes HTTP by TCP (no QUIC, no PROXY protocol)",
                "give the server a plain `listen PORT` beside it",
            )
        empty = next(filter(takes_sites, configuration.includes_without_files), None)
        return UsageError(
            f"{configuration.file} has no `server`"
            + (f", and its `include {empty}` matches no file" if empty is not None else ""),
            hint or "name the file that holds the site, or copy it beside this one",
        )
    first = sites[0]
    at = f"{configuration.name_of(first.server.file)}:{first.server.line}"
    if any(site.only_redirects for site in sites):
        first = next(site for site in sites if site.only_redirects)
        at = f"{configuration.name_of(first.server.file)}:{first.server.line}"
        return UsageError(
            f"{at}: {first.url} only redirects, and no other server of {configuration.file} answers itself",
            hint or "name the configuration of the site that it redirects to",
        )
    return UsageError(
        f"{at}: {first.url} turns every request away, and no other server of {configuration.file} answers",
        hint or "name the configuration of a site that answers",
    )
