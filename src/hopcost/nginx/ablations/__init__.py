"""Which changes of a configuration are worth measuring: what it has and might do without, and what it lacks."""

from __future__ import annotations

from hopcost.nginx.ablations import access, body, buffers, cache, files, headers, keepalive, logs, process, tls
from hopcost.nginx.ablations.ablation import Ablation, LoadSeen, Receipt
from hopcost.nginx.ablations.context import Context, Version
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites import Site

__all__ = ["Ablation", "LoadSeen", "Receipt", "find_ablations"]

FAMILIES = (keepalive, cache, body, access, logs, headers, buffers, files, tls, process)


def find_ablations(configuration: ConfigurationText, site: Site, version: Version, seen: LoadSeen) -> list[Ablation]:
    """All changes that fit this site and this version of nginx, the giants first; also what the load cannot show."""
    context = Context(configuration, site, version, seen)
    ablations = [ablation for family in FAMILIES for ablation in family.find(context)]
    return sorted(ablations, key=lambda ablation: not ablation.is_giant)
