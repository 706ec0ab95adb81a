"""Lines of a configuration that do not do what they seem to do, or cost without need."""

from __future__ import annotations

from hopcost.nginx.ablations.ablation import LoadSeen
from hopcost.nginx.ablations.context import Context, Version
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites import Site
from hopcost.nginx.traps import of_headers, of_the_process, to_the_app
from hopcost.nginx.traps.trap import Trap

__all__ = ["Trap", "find_traps"]

FAMILIES = (to_the_app, of_the_process, of_headers)


def find_traps(configuration: ConfigurationText, site: Site, version: Version, seen: LoadSeen) -> list[Trap]:
    """The traps of a site under a load, each once, what bites hardest first, then in the order of the lines."""
    context = Context(configuration, site, version, seen)
    traps = dict.fromkeys(trap for family in FAMILIES for trap in family.find(context))
    once = {(trap.name, trap.place): trap for trap in traps}
    return sorted(once.values(), key=lambda trap: (trap.bite, trap.place.file, trap.place.line))
