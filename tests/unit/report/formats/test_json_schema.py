"""The published schema of the JSON report: what is written fits it, and what does not is found."""

from __future__ import annotations

import json

import jsonschema
import msgspec
import pytest
from places import ROOT
from samples.blocks import sound_block
from samples.records import record
from samples.reports import everything, rendered
from samples.sweeps import peer_run, plan_with, planned, repeat, soak_block, soak_plan, sweep

from hopcost.record.contents.run import Record
from hopcost.report.formats.json_schema import Report
from hopcost.suites.articles.published import Protocol
from hopcost.suites.peer_name import PeerName

SCHEMA = json.loads((ROOT / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8"))
GOLDEN = ROOT / "tests" / "golden" / "report" / "report.json"


def records() -> list[Record]:
    """Every kind of experiment."""
    protocol = Protocol(peer=PeerName.WRK, duration_s=30, repeats=1)
    repeated = plan_with(planned(as_published=protocol))
    soaked = soak_plan()
    return [
        everything(),
        record(sound_block(0), sound_block(1)),
        sweep(),
        record(plan=repeated, repeats=[repeat("direct", 0, peer_run(1000)), repeat("behind", 0, None, "refused")]),
        record(*(soak_block(number, 400, 2**20) for number in range(4)), plan=soaked),
        record(),
    ]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("number", range(6))
def test_reports_fit_the_schema(number: int) -> None:
    content = records()[number]
    jsonschema.validate(json.loads(rendered("json", content)), SCHEMA)


def test_the_golden_report_fits_and_can_be_read_back() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    jsonschema.validate(json.loads(text), SCHEMA)
    read = msgspec.json.decode(text, type=Report)
    assert json.loads(msgspec.json.encode(read)) == json.loads(text)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["format"], "3"),
        (["experiments", 0, "arms", 0, "answers"], 1.5),
        (["experiments", 0, "arms", 1, "ratio", "value"], None),
        (["experiments", 0, "turns"], "never"),
    ],
)
def test_what_does_not_fit_is_found(path: list[str | int], value: object) -> None:
    content = json.loads(GOLDEN.read_text(encoding="utf-8"))
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, SCHEMA)


def test_a_missing_key_is_found() -> None:
    content = json.loads(GOLDEN.read_text(encoding="utf-8"))
    del content["experiments"][0]["arms"][0]["ratio"]
    with pytest.raises(jsonschema.ValidationError, match="'ratio' is a required property"):
        jsonschema.validate(content, SCHEMA)


def test_every_key_of_the_report_says_what_it_means() -> None:
    for kind in ("Report", "ReportedExperiment", "ReportedArm"):
        properties = SCHEMA["$defs"][kind]["properties"]
        without = [key for key, content in properties.items() if "description" not in content]
        assert set(without) <= {"experiments", "arms", "service_time_ns"}, "described by their own keys"
