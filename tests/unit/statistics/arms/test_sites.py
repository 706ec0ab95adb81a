"""The machines of a fleet one by one, as a report shows them."""

from __future__ import annotations

import msgspec
import pytest
from samples.blocks import plain_block
from samples.comparisons import summary_of

from hopcost.record.contents.block import Block
from hopcost.report.notes.scope import site_lines


def on(site: str | None, number: int, behind: int) -> Block:
    return msgspec.structs.replace(plain_block(number, behind=behind), site=site)


def test_each_site_has_its_blocks_and_ratios() -> None:
    experiment = summary_of(on("b", 0, 400), on("a", 1, 800), on("a", 2, 800))
    assert [(site.site, site.blocks) for site in experiment.sites] == [("a", 2), ("b", 1)]
    assert [site.throughput["behind"] for site in experiment.sites] == [pytest.approx(0.8), pytest.approx(0.4)]
    lines = site_lines([experiment])
    assert lines[0].endswith("behind: a 80 %, b 40 % of direct's throughput")
    assert lines[-1] == "Ranges hold on these machines, 2 machines: others of their kind may differ by more."


def test_five_sites_stand_for_their_kind() -> None:
    experiment = summary_of(*(on(site, number, 400 + number) for number, site in enumerate("abcde")))
    assert site_lines([experiment])[-1].startswith("Ranges are over the means of 5 machines")


def test_without_a_fleet_there_is_nothing() -> None:
    experiment = summary_of(on(None, 0, 400), on(None, 1, 401))
    assert experiment.sites == [] and site_lines([experiment]) == []
