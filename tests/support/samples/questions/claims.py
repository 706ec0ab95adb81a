"""A suite file with a claim, and claims judged on records made by hand."""

from __future__ import annotations

import msgspec
from samples.blocks import block, part, slice_of
from samples.records import made_up_suite, record

from hopcost.record.contents.run import Record
from hopcost.statistics.questions.claims import claims
from hopcost.statistics.questions.claims.result import ClaimResult
from hopcost.suites.articles.claim import Claim, ClaimFigure, ClaimTest, Needs, Relation
from hopcost.suites.suite import Suite

GOOD = """
name = "mine"
title = "Mine"
[arms.direct]
hops = [{ program = "app", link = "http+tcp" }]
[arms.behind]
hops = [{ program = "proxy", link = "http+tcp" }, { program = "app", link = "http+tcp" }]
[arms.other]
hops = [{ program = "app", link = "http+tcp" }]

[[experiments]]
name = "plain"
question = "?"
baseline = "direct"
arms = ["direct", "behind"]
placement = "one-core"
control = "direct"
published = [{ arm = "direct", throughput_per_s = 1000 }, { arm = "behind", throughput_per_s = 400 }]

[[experiments]]
name = "swept"
question = "?"
baseline = "direct"
arms = ["direct", "behind"]
placement = "one-core"
sweep = { key = "workload.connections", values = [10, 20] }
published = [{ arm = "behind", at = 20, errored = true }]

[[claims]]
name = "first"
says = "It halves."
source = "its end"
needs = { cores = 4, because = "it had four" }
tests = [
  { experiment = "plain", arm = "behind", relation = "about", size = 0.5, tolerance = 0.3 },
  { experiment = "swept", at = [10, 20], figure = "errors", arm = "behind", relation = "some" },
]
"""
CLAIMS = [
    Claim(
        name="costs-much",
        says="A proxy costs | much.",
        source="Conclusions: “the difference is huge”",
        condition="8 cores",
        tests=[ClaimTest(experiment="cost", arm="behind", relation=Relation.AT_MOST, size=0.75)],
    ),
    Claim(
        name="level-without-errors",
        says="The proxy and its twin are level, without errors.",
        source="its table",
        tests=[
            ClaimTest(experiment="cost", arm="behind", to="beside", relation=Relation.ABOUT, size=1, tolerance=0.05),
            ClaimTest(experiment="cost", arm="behind", relation=Relation.MORE),
            ClaimTest(experiment="cost", arm="behind", figure=ClaimFigure.ERRORS, relation=Relation.NONE),
        ],
    ),
    Claim(
        name="not-here",
        says="With four cores it costs little.",
        source="its end",
        needs=Needs(cores=4, because="it had four"),
        tests=[ClaimTest(experiment="cost", arm="behind", relation=Relation.AT_LEAST, size=0.9)],
    ),
]


def with_claims() -> Suite:
    return msgspec.structs.replace(made_up_suite(), claims=CLAIMS)


def measured() -> Record:
    blocks = [
        block(
            number,
            part(slice_of("direct", 1000 + number)),
            part(slice_of("behind", 400)),
            part(slice_of("beside", 600)),
            part(slice_of("direct-aa", 1000 + number)),
        )
        for number in range(6)
    ]
    return record(*blocks)


def judged() -> list[ClaimResult]:
    return claims.judge_claims(with_claims(), [measured()])
