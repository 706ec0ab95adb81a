"""`hopcost claims`: its three formats, and the command over records on disk."""

from __future__ import annotations

import json
from pathlib import Path

import golden
import msgspec
from command import hopcost
from factory import ENVIRONMENT, block, part, plain_block, plan_of, record, slice_of
from factory import suite as made_up

from hopcost import claims
from hopcost.claim import Claim, Comparison, Figure, Needs, Relation
from hopcost.judged import Judged
from hopcost.record import Writer
from hopcost.report import ClaimsFormat, claims_table
from hopcost.suite import Suite

CLAIMS = [
    Claim(
        name="costs-much",
        says="A proxy costs | much.",
        source="Conclusions: “the difference is huge”",
        condition="8 cores",
        tests=[Comparison(experiment="cost", arm="behind", relation=Relation.AT_MOST, size=0.75)],
    ),
    Claim(
        name="level-without-errors",
        says="The proxy and its twin are level, without errors.",
        source="its table",
        tests=[
            Comparison(experiment="cost", arm="behind", to="beside", relation=Relation.ABOUT, size=1, tolerance=0.05),
            Comparison(experiment="cost", arm="behind", relation=Relation.MORE),
            Comparison(experiment="cost", arm="behind", figure=Figure.ERRORS, relation=Relation.NONE),
        ],
    ),
    Claim(
        name="not-here",
        says="With four cores it costs little.",
        source="its end",
        needs=Needs(cores=4, because="it had four"),
        tests=[Comparison(experiment="cost", arm="behind", relation=Relation.AT_LEAST, size=0.9)],
    ),
]


def with_claims() -> Suite:
    return msgspec.structs.replace(made_up(), claims=CLAIMS)


def judged() -> list[Judged]:
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
    return claims.judge(with_claims(), [record(*blocks)])


def test_as_text() -> None:
    golden.compare("claims.txt", claims_table.render(judged(), ClaimsFormat.TEXT))


def test_as_markdown() -> None:
    made = claims_table.render(judged(), ClaimsFormat.MARKDOWN)
    golden.compare("claims.md", made)
    assert "A proxy costs \\| much." in made


def test_as_json() -> None:
    made = claims_table.render(judged(), ClaimsFormat.JSON)
    golden.compare("claims.json", made)
    assert [each["outcome"] for each in json.loads(made)] == ["holds", "does not hold", "not testable here"]


def write(folder: Path, name: str, suite: Suite, blocks: int = 3) -> Path:
    with Writer(folder / name, suite, plan_of(), ENVIRONMENT, ["hopcost"]) as writer:
        for number in range(blocks):
            writer.append(plain_block(number, behind=400 + number))
    return folder / name


def test_the_command_over_several_records(tmp_path: Path) -> None:
    first, second = (write(tmp_path, name, with_claims(), blocks) for name, blocks in (("first", 3), ("second", 4)))
    shown = hopcost("claims", first, second, "--format", "json")
    assert (shown.returncode, shown.stderr) == (0, "")
    found = json.loads(shown.stdout)
    assert [each["claim"] for each in found] == [each.name for each in CLAIMS]
    assert [test["record"] for test in found[0]["tests"]] == ["second"], "it has more blocks"
    assert found[0]["tests"][0]["blocks"] == 4


def test_a_record_from_before_claims_and_the_suite_of_today(tmp_path: Path) -> None:
    before = write(tmp_path, "before", made_up())
    refused = hopcost("claims", before)
    assert refused.returncode == 2
    assert "no claims in these records: made-up" in refused.stderr
    assert "--suite made-up" in refused.stderr
    file = tmp_path / "now.toml"
    file.write_text(
        """
name = "made-up"
title = "Now"
[arms.direct]
hops = [{ program = "app", link = "http+tcp" }]
[arms.behind]
hops = [{ program = "app", link = "http+tcp" }]
[[experiments]]
name = "cost"
question = "?"
baseline = "direct"
arms = ["direct", "behind"]
placement = "one-core"
[[claims]]
name = "slower"
says = "It is slower."
source = "its end"
tests = [{ experiment = "cost", arm = "behind", relation = "less" }]
""",
        encoding="utf-8",
    )
    page = tmp_path / "claims.md"
    shown = hopcost("claims", before, "--suite", file, "-f", "markdown", "-o", page)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "", "")
    assert "| made-up: slower | holds | – | 0.401 [0.399, 0.403] |".replace("[", "\\[").replace("]", "\\]") in (
        page.read_text(encoding="utf-8")
    )


def test_records_of_a_suite_without_claims_are_told_beside_others(tmp_path: Path) -> None:
    plain = msgspec.structs.replace(plan_of(), suite="plain")
    with Writer(
        tmp_path / "plain", msgspec.structs.replace(made_up(), name="plain"), plain, ENVIRONMENT, ["hopcost"]
    ) as writer:
        writer.append(plain_block(0))
    shown = hopcost("claims", write(tmp_path, "made-up", with_claims()), tmp_path / "plain")
    assert shown.returncode == 0
    assert shown.stderr.startswith("no claims in the records of plain\nhint: ")
    assert "made-up: costs-much" in shown.stdout
