"""What `hopcost fleet` says of the machines."""

from __future__ import annotations

from hopcost.measure.sites import check, identity
from hopcost.measure.sites.hosts_file import Fleet
from hopcost.measure.sites.run import open_sites, ready_sites, refuse_unlike_sites
from hopcost.suites import read

SUITE = "hello"  # a fleet is compared by it: its programs come with hopcost


def check_fleet(fleet: Fleet) -> int:
    """Every machine reached, a worker started on each site and opened, the sites compared; 3 if they are not alike."""
    from hopcost.measure.sites.dask import cluster  # noqa: F401  # what is not installed is told first

    refuse_unlike_sites(fleet)
    reached = {machine.host.name: machine for machine in check.reach(fleet)}
    for site in fleet.sites:
        machine = reached[site.name]
        names = " and ".join(host.name for host in site.generators)
        print(f"{site.name}: logged in as {machine.rights.user}{f', loaded from {names}' if names else ''}")
        for words in machine.rights.lost(alone=not site.generators):
            print(f"  it has no {words}")
    with ready_sites(fleet) as sites:
        opened = open_sites(sites, fleet, read.read_suite(SUITE))
    for name, site_opened in opened.items():
        for path in site_opened.removed:
            print(f"{name}: a dead run had left {path}, which was removed")
    differences = identity.differences(opened)
    for words in differences:
        print(f"not alike: {words}")
    if not differences:
        count = len(identity.signs_of(next(iter(opened.values()))))
        print(f"alike in all {count} signs" if len(opened) > 1 else "one site: there is nothing to compare")
    print(f"warning: {check.why_trusted(fleet)}")
    return 3 if differences else 0


def clean_fleet(fleet: Fleet) -> int:
    """What dead runs left on the stacks' machines is removed; generators' machines clean up by themselves."""
    for name, words in check.clean(fleet).items():
        print(f"{name}: {words.splitlines()[-1] if words else 'done'}")
    return 0
