"""`hopcost claims` over records on disk."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from command import hopcost
from samples.blocks import plain_block
from samples.questions.claims import CLAIMS, with_claims
from samples.records import ENVIRONMENT, made_up_suite, plan_of

from hopcost.record.writer import Writer
from hopcost.suites.suite import Suite


def write(folder: Path, name: str, suite: Suite, blocks: int = 3) -> Path:
    with Writer(folder / name, suite, plan_of(), ENVIRONMENT, ["hopcost"]) as writer:
        for number in range(blocks):
            writer.append(plain_block(number, behind=400 + number))
    return folder / name


def test_the_command_over_several_records(tmp_path: Path) -> None:
    first, second = (write(tmp_path, name, with_claims(), blocks) for name, blocks in (("first", 3), ("second", 4)))
    shown = hopcost("claims", first, second, "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    data = json.loads(shown.stdout)
    assert [claim["claim"] for claim in data] == [claim.name for claim in CLAIMS]
    assert [test["record"] for test in data[0]["tests"]] == ["second"], "it has more blocks"
    assert data[0]["tests"][0]["blocks"] == 4


def test_a_record_from_before_claims_and_the_suite_of_today(tmp_path: Path) -> None:
    before = write(tmp_path, "before", made_up_suite())
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
    assert "| holds | It is slower.<br>behind ÷ direct in cost: 40 % (38–43); claimed less than 100 % |" in (
        page.read_text(encoding="utf-8")
    )


def test_records_of_a_suite_without_claims_are_told_beside_others(tmp_path: Path) -> None:
    plain = msgspec.structs.replace(plan_of(), suite="plain")
    with Writer(
        tmp_path / "plain", msgspec.structs.replace(made_up_suite(), name="plain"), plain, ENVIRONMENT, ["hopcost"]
    ) as writer:
        writer.append(plain_block(0))
    shown = hopcost("claims", write(tmp_path, "made-up", with_claims()), tmp_path / "plain")
    assert shown.returncode == 0
    assert shown.stderr.startswith("no claims in the records of plain\nhint: ")
    assert "A proxy costs | much." in shown.stdout
