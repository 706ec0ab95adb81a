"""The crosscheck as text, Markdown and JSON."""

from __future__ import annotations

import json

import golden
import pytest
from samples.crosschecks import turns

from hopcost.generators.peers import BY_NAME
from hopcost.report import Format, render
from hopcost.report.tables.crosscheck import crosscheck_report
from hopcost.statistics.questions import crosscheck
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck
from hopcost.suites.peer_name import PeerName


def example() -> Crosscheck:
    return Crosscheck(
        arm="hello/one-core/go",
        connections=10,
        cores=1,
        rounds=3,
        seconds=1,
        tools=crosscheck.summarise_crosscheck(
            [
                *turns(OURS, 1000, 1010, 990),
                *turns("wrk", 900, 905, 880),
                *turns("h2load", 800, 790, errors={"read": 1}, latency_ms={"mean": 12.0}),
            ],
            10,
            1,
        ),
        left_out={"hey": "not installed; hint: apt-get install hey"},
        turns=turns(OURS, 1000),
    )


@pytest.mark.parametrize("format", [Format.TEXT, Format.MARKDOWN])
def test_as_text_and_markdown(format: Format) -> None:
    ending = "md" if format is Format.MARKDOWN else "txt"
    golden.compare(f"questions/crosscheck.{ending}", render(crosscheck_report(example()), format))


def test_as_json() -> None:
    found = json.loads(render(crosscheck_report(example()), Format.JSON))
    assert found["tools"][1]["name"] == "wrk"
    assert found["turns"][0]["run"]["answers"] == 1000


def test_every_generator_says_what_it_times() -> None:
    assert all(peer.times for peer in BY_NAME.values())
    assert set(BY_NAME) == {name.value for name in PeerName}
