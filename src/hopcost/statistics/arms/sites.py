"""The machines of a fleet one by one: each arm's ratios there."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks


class SiteRatios(msgspec.Struct, frozen=True):
    """What one site measured: of each arm the ratio to the baseline, without an interval."""

    site: Annotated[str, Meta(description="its name")]
    blocks: Annotated[int, Meta(description="valid blocks that it measured")]
    throughput: Annotated[dict[str, float], Meta(description="arm → its throughput ÷ the baseline's")]
    cpu_per_request: Annotated[dict[str, float], Meta(description="the same of the CPU time per request")]


def site_ratios(arms: PairedBlocks) -> list[SiteRatios]:
    """Of each site that measured a block; none without a fleet."""
    names = [arm.name for arm in arms.experiment.arms if arm.name != arms.baseline]
    ratios = {
        figure.name: {name: arms.ratios_by_site(name, figure) for name in names}
        for figure in (figures.throughput, figures.cpu_per_request)
    }

    def of(site: str, figure: str) -> dict[str, float]:
        return {name: by_site[site] for name, by_site in ratios[figure].items() if site in by_site}

    return [
        SiteRatios(
            site=site,
            blocks=arms.sites.count(site),
            throughput=of(site, figures.throughput.name),
            cpu_per_request=of(site, figures.cpu_per_request.name),
        )
        for site in sorted({site for site in arms.sites if site is not None})
    ]
