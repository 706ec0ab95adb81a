"""The key tables of docs/ are what the code says, and every key has its meaning; the examples there can be loaded."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest
from places import ROOT
from samples.blocks import sound_block
from samples.records import record
from samples.reports import rendered

from hopcost.machine import facts
from hopcost.plan import method, plan
from hopcost.programs import read as program_files
from hopcost.programs.definition.definition import Program
from hopcost.programs.generators.engine_lines import Slice
from hopcost.record.contents import block, offered_load, run
from hopcost.record.contents.run import Record
from hopcost.report.formats import csv
from hopcost.statistics.summary.summary import ERROR_KINDS
from hopcost.suites import read, suite
from hopcost.suites.articles import claim
from tools.docs import reference, structures

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
        region[2]: path.name
        for path in reference.pages()
        for region in structures.REGION.finditer(path.read_text(encoding="utf-8"))
    }
    assert set(places) == set(reference.regions())
    for kind, page in structures.structures().items():
        assert places[kind.__name__] == page.value


@pytest.mark.parametrize("kind", structures.structures(), ids=lambda kind: kind.__name__)
def test_every_key_has_its_meaning(kind: type[msgspec.Struct]) -> None:
    assert list(structures.meanings(kind)) == list(kind.__struct_encode_fields__)


def test_every_structure_in_the_files_has_its_table() -> None:
    """But a Record, which is never written."""
    for module in (suite, claim, run, block, offered_load, plan):
        kinds = {
            kind
            for kind in vars(module).values()
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__
        }
        assert {kind for kind in kinds if kind.__name__[0] != "_"} - {Record} <= set(structures.structures())


def test_the_environment_has_the_keys_that_are_described() -> None:
    of_the_run = {
        "idle_cores",
        "freezer",
        "network_namespaces",
        "network_namespaces_missing",
        "programs",
        "binaries",
        "labels",
        "generator_machines",
    }
    of_the_run |= {"microcode", "mitigations", "sites", "site_differences"}  # of a fleet
    assert {*facts.Facts.__struct_fields__, *of_the_run} == set(reference.WORDS.environment)


def test_every_constant_of_the_method_says_what_it_is() -> None:
    constants = {constant.name for constant in fields(method.METHOD)} - {"number", "engine"}
    assert {name for name, _, _, meaning in method.table() if meaning} == constants


def test_the_json_report_has_the_keys_that_are_described() -> None:
    report = json.loads(rendered("json", record(sound_block(0), sound_block(1))))
    assert sorted(set(keys(report))) == sorted(structures.report_keys())


def test_every_column_of_the_csv_report_is_described() -> None:
    assert list(structures.meanings(csv.Row)) == list(csv.Row.__struct_fields__)


def test_errors_are_described_by_all_their_kinds() -> None:
    assert re.findall(r"`(\w+)`", structures.meanings(Slice)["errors"]) == list(ERROR_KINDS)


def test_the_example_suite_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(example_of("how-to/write-a-suite.md"), encoding="utf-8")
    example = read.read_suite(str(path))
    for arm in example.arms.values():
        for hop in arm.hops:
            program_files.read_program(hop.program).resolve_settings(hop.settings, 1, "example")


def test_the_example_program_fits() -> None:
    example = msgspec.convert(tomllib.loads(example_of("how-to/add-a-program.md")), Program)
    assert example.resolve_settings({}, 2, "example")
    assert re.compile(example.version_pattern).groups == 1


def example_of(page: str) -> str:
    """The first TOML block of a page."""
    example = re.search(r"(?s)```toml\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"))
    assert example is not None
    return example[1]


def keys(content: object, path: str = "") -> list[str]:
    """Paths of all keys, down to those that are described as a whole."""
    inner = [key for key in structures.report_keys() if key.startswith((f"{path}.", f"{path}[]"))]
    if isinstance(content, list) and inner:
        return [key for item in content for key in keys(item, f"{path}[]")]
    if isinstance(content, dict) and (inner or not path):
        own = [path] if path in structures.report_keys() else []
        return own + [key for name, value in content.items() for key in keys(value, f"{path}.{name}" if path else name)]
    return [path]
