"""The key tables of docs/ are what the code says, and every key has its meaning; the examples there can be loaded."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest
from hdrh.histogram import HdrHistogram
from places import ROOT
from samples.reports import rendered

from hopcost.generators.engine_protocol import ArmTotals, End, Slice, Validity, WarmedUp
from hopcost.machine import facts
from hopcost.plan import method, plan
from hopcost.plan.cores import Cores
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.programs import read as program_files
from hopcost.programs.definition import Program
from hopcost.record import block, run
from hopcost.record.block import ArmBlock, Block
from hopcost.record.evidence import CheckedAnswer
from hopcost.record.histogram import FIGURES, HIGHEST_NS, LOWEST_NS
from hopcost.record.run import FORMAT, Record, Run
from hopcost.report import csv
from hopcost.statistics.summary.summary import ERROR_KINDS
from hopcost.suites import claim, read, suite
from hopcost.suites.arm import Arm, Hop, Link
from hopcost.suites.experiment import Experiment, Placement, Workload
from hopcost.suites.suite import Suite
from tools.docs import reference

DOCS = ROOT / "docs"


@pytest.mark.parametrize("page", reference.pages(), ids=lambda page: page.name)
def test_the_page_is_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert reference.rewritten(text) == text, f"{page.name} is out of date; mend it: {reference.COMMAND}"


def test_the_schema_of_the_json_report_is_up_to_date() -> None:
    text = reference.SCHEMA.read_text(encoding="utf-8")
    assert text == reference.schema(), f"{reference.SCHEMA.name} is out of date; mend it: {reference.COMMAND}"


def test_every_region_stands_on_one_page_and_the_structures_on_their_own() -> None:
    places = {
        found[2]: path.name
        for path in reference.pages()
        for found in reference.REGION.finditer(path.read_text(encoding="utf-8"))
    }
    assert set(places) == set(reference.regions())
    for kind, page in reference.structures().items():
        assert places[kind.__name__] == page.value


@pytest.mark.parametrize("kind", reference.structures(), ids=lambda kind: kind.__name__)
def test_every_key_has_its_meaning(kind: type[msgspec.Struct]) -> None:
    assert list(reference.meanings(kind)) == list(kind.__struct_encode_fields__)


def test_every_structure_in_the_files_has_its_table() -> None:
    """But a Record, which is never written."""
    for module in (suite, claim, run, block, plan):
        kinds = {
            each
            for each in vars(module).values()
            if isinstance(each, type) and issubclass(each, msgspec.Struct) and each.__module__ == module.__name__
        }
        assert {each for each in kinds if each.__name__[0] != "_"} - {Record} <= set(reference.structures())


def test_the_environment_has_the_keys_that_are_described() -> None:
    of_the_run = {"freezer", "network_namespaces", "network_namespaces_missing", "programs", "binaries"}
    assert {*facts.Facts.__struct_fields__, *of_the_run} == set(reference.WORDS.environment)


def test_every_constant_of_the_method_says_what_it_is() -> None:
    constants = {constant.name for constant in fields(method.METHOD)} - {"number", "engine"}
    assert {name for name, _, _, meaning in method.table() if meaning} == constants


def test_the_json_report_has_the_keys_that_are_described(tmp_path: Path) -> None:
    example = a_record(tmp_path)
    report = json.loads(rendered("json", example))
    assert sorted(set(keys(report))) == sorted(reference.report_keys())


def test_every_column_of_the_csv_report_is_described() -> None:
    assert list(reference.meanings(csv.Row)) == list(csv.Row.__struct_fields__)


def test_errors_are_described_by_all_their_kinds() -> None:
    assert re.findall(r"`(\w+)`", reference.meanings(Slice)["errors"]) == list(ERROR_KINDS)


def test_the_example_suite_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(example_of("suite-format.md"), encoding="utf-8")
    example = read.read_suite(str(path))
    for arm in example.arms.values():
        for hop in arm.hops:
            program_files.read_program(hop.program).resolve_settings(hop.settings, 1, "example")


def test_the_example_program_fits() -> None:
    example = msgspec.convert(tomllib.loads(example_of("adding-a-program.md")), Program)
    assert example.resolve_settings({}, 2, "example")
    assert re.compile(example.version_pattern).groups == 1


def example_of(page: str) -> str:
    """The first TOML block of a page."""
    found = re.search(r"(?s)```toml\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def keys(content: object, path: str = "") -> list[str]:
    """Paths of all keys, down to those that are described as a whole."""
    inner = [each for each in reference.report_keys() if each.startswith((f"{path}.", f"{path}[]"))]
    if isinstance(content, list) and inner:
        return [key for each in content for key in keys(each, f"{path}[]")]
    if isinstance(content, dict) and (inner or not path):
        own = [path] if path in reference.report_keys() else []
        return own + [key for name, each in content.items() for key in keys(each, f"{path}.{name}" if path else name)]
    return [path]


def a_record(path: Path) -> Record:
    """One experiment of one arm and its A/A arm, two blocks."""
    arm = Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP)])
    experiment = Experiment(name="e", question="?", baseline="a", arms=["a"], placement=Placement.ALL_CORES)
    return Record(
        path=path,
        run=Run(format=FORMAT, hopcost="0", command=["hopcost"], started_utc="2026-01-01T00:00:00Z"),
        suite=Suite(name="s", title="S", arms={"a": arm}, experiments=[experiment]),
        plan=Plan(
            suite="s",
            title="S",
            analysis="",
            quick=True,
            seed=1,
            budget_s=1.0,
            warm_up_least_ns=1,
            warm_up_most_ns=1,
            looks=[2],
            target_width=0.01,
            margin=0.02,
            experiments=[
                PlannedExperiment(
                    name="e",
                    question="?",
                    baseline="a",
                    arms=[PlannedArm(name="a", arm=arm), PlannedArm(name="a-aa", arm=arm, copy_of="a")],
                    cores=Cores(stack=[0], generator=[1]),
                    workload=Workload(),
                    settle_ns=1,
                    slice_ns=1,
                    settings={},
                    left_out=[],
                    notes=[],
                    published=[],
                    published_conditions="",
                    control=None,
                )
            ],
            left_out=[],
        ),
        environment={},
        blocks=[a_block(number) for number in range(2)],
        warnings=[],
    )


def a_block(number: int) -> Block:
    return Block(
        experiment="e",
        number=number,
        seed=1,
        started_utc="2026-01-01T00:00:00Z",
        elapsed_ns=1,
        slices_elapsed_ns=1,
        harness_cpu_ns=1,
        foreign_cpu_ns=0,
        steal_ns=0,
        validity=Validity.VALID,
        reasons=[],
        failures=[],
        arms=[a_part("a", None), a_part("a-aa", "a")],
        end=End(elapsed_ns=1, generator_cpu_ns=1, validity=Validity.VALID, reasons=[]),
    )


def a_part(name: str, copy_of: str | None) -> ArmBlock:
    times = HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES)
    times.record_value(1000)
    none = HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES)
    return ArmBlock(
        name=name,
        copy_of=copy_of,
        hops=["origin"],
        check=CheckedAnswer(status=200, header_bytes=141, body_bytes=12, header_fields=["Date"]),
        warm_up=WarmedUp(arm=name, elapsed_ns=1, plateau=True, answers=[1], errors={}),
        slices=[
            Slice(
                arm=name,
                round=0,
                place=0,
                start_ns=1,
                elapsed_ns=1,
                freeze_ns=1,
                frozen_ns=None,
                answers=1,
                sent=1,
                errors={},
                reconnects=0,
                received_bytes=1,
                cpu_ns={"origin": 1},
                cpu_outside_ns={"origin": 0},
                generator_cpu_ns=1,
            )
        ],
        totals=ArmTotals(
            arm=name,
            sent=1,
            answers=1,
            compared=1,
            in_flight=0,
            established=1,
            reconnects=0,
            errors={},
            service_time=times.encode().decode(),
            unanswered=none.encode().decode(),
        ),
    )
