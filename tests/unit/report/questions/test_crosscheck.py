"""The crosscheck as text, Markdown and JSON."""

from __future__ import annotations

import json

import golden
import msgspec
import pytest
from samples.questions.crosschecks import turns

from hopcost.programs.generators.peers import BY_NAME
from hopcost.report import Format, render
from hopcost.report.questions.crosscheck import crosscheck_report, sentence
from hopcost.statistics.questions import crosscheck
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck, Turn
from hopcost.suites.peer_name import PeerName


def of(*played: Turn) -> Crosscheck:
    return Crosscheck(
        arm="hello/one-core/go",
        connections=10,
        cores=1,
        rounds=3,
        seconds=1,
        idle_cores="awake",
        tools=crosscheck.summarise_crosscheck(played, 10, 1),
        left_out={"hey": "not installed; hint: apt-get install hey"},
        turns=turns(OURS, 1000),
    )


def example() -> Crosscheck:
    return of(
        *turns(OURS, 1000, 1010, 990),
        *turns("wrk", 900, 905, 880),
        *turns("h2load", 800, 790, errors={"read": 1}, latency_ms={"mean": 12.0}),
    )


@pytest.mark.parametrize("format", [Format.TEXT, Format.MARKDOWN])
def test_as_text_and_markdown(format: Format) -> None:
    ending = "md" if format is Format.MARKDOWN else "txt"
    golden.compare(f"questions/crosscheck/report.{ending}", render(crosscheck_report(example()), format))


def test_the_details_to_the_last_byte() -> None:
    golden.compare("questions/crosscheck/details.txt", render(crosscheck_report(example(), details=True), Format.TEXT))


def test_it_fits_a_small_terminal() -> None:
    lines = render(crosscheck_report(example()), Format.TEXT).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 16


def test_the_sentence_tells_who_agrees() -> None:
    """wrk's ratios are 0.99, 1.01 and 1.0: no difference is shown."""
    assert sentence(of(*turns(OURS, 1000, 1000, 1000), *turns("wrk", 990, 1010, 1000))) == "wrk agrees with hopcost."
    words = sentence(example())
    assert words.startswith("wrk counts 89 % (") and ") of hopcost's throughput, h2load 79 % (" in words
    assert sentence(of(*turns(OURS, 1000))) == "No other generator could load it here."


def test_what_spoils_a_figure_is_a_caution() -> None:
    text = " ".join(render(crosscheck_report(example()), Format.TEXT).split())
    assert "! h2load had errors: 2 read." in text and "! h2load had 2 turns of 3." in text
    assert "Not measured: hey (apt-get install hey)." in text
    full = [msgspec.structs.replace(tool, busy=0.99) for tool in example().tools]
    busy = msgspec.structs.replace(example(), tools=full)
    assert "! The cores of hopcost, wrk and h2load were full" in render(crosscheck_report(busy), Format.TEXT)


def test_the_next_step_is_a_run_with_the_generator_that_differs_most() -> None:
    assert "next    hopcost run hello/one-core --generator h2load" in render(crosscheck_report(example()), Format.TEXT)


def test_as_json() -> None:
    content = json.loads(render(crosscheck_report(example()), Format.JSON))
    assert content["tools"][1]["name"] == "wrk"
    assert content["turns"][0]["run"]["answers"] == 1000


def test_every_generator_says_what_it_times() -> None:
    assert all(peer.times for peer in BY_NAME.values())
    assert set(BY_NAME) == {name.value for name in PeerName}
