"""What nginx does with every byte of a site's answers: what that costs shows on answers of a real size alone."""

from __future__ import annotations

from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.sites import Site
from hopcost.nginx.sites.location import blocks_of_path
from hopcost.nginx.tree import inside, walk

BYTE_BY_BYTE = ("gzip", "brotli", "ssi", "sub_filter")


def works_on_bodies(configuration: ConfigurationText, site: Site, path: str) -> list[str]:
    """Those of gzip, brotli, ssi and sub_filter that are on for this path, or where the site passes requests on."""
    http = [
        directive
        for directive, _ in walk(configuration)
        if directive.name == "http" and any(server is site.server for server in inside(directive))
    ]
    ways = [(*http, site.server, *blocks_of_path(site.server, path))]
    ways += [upstream.parents for upstream in site.upstreams[:1]]
    names = []
    for name in BYTE_BY_BYTE:
        for way in ways:
            lines = [[line for line in inside(block) if line.name == name] for block in reversed(way)]
            innermost = next((own for own in lines if own), [])
            if innermost and innermost[-1].first != "off":
                names.append(name)
                break
    return names
