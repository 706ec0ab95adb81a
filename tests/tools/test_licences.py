"""Who is carried by the wheel and by each page is named there with the terms, and nobody else is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import licences
from tools.licences import Package

MIT = Package("one", "1.0.0", "MIT OR Apache-2.0")
ISC = Package("two", "2.0.0-rc1", "ISC")


def rust() -> set[Package]:
    return set(licences.linked_packages())


def named(text: str) -> set[tuple[str, str]]:
    return {(package.name, package.version) for package in licences.listed(text)}


def test_the_wheels_file_names_what_is_linked_and_bundled_and_no_more() -> None:
    text = licences.WHEEL.read_text(encoding="utf-8")
    linked = rust()
    assert linked <= licences.listed(text), f"out of date; mend it: {licences.COMMAND}"
    assert named(text) == {(package.name, package.version) for package in linked} | licences.bundled_packages()


def test_the_pages_file_names_what_is_bundled_and_no_more() -> None:
    text = licences.PAGE.read_text(encoding="utf-8")
    assert named(text) == licences.bundled_packages(), f"out of date; mend it: {licences.COMMAND}"
    assert {"vega", "vega-lite", "vega-embed"} <= {name for name, _ in licences.bundled_packages()}
    assert text in licences.WHEEL.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [licences.WHEEL, licences.PAGE], ids=lambda path: path.name)
def test_each_package_has_its_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    heads = re.findall(rf"^{licences.RULE}\n(.+)\n", text, flags=re.MULTILINE)
    owners = {owner for head in heads for owner in head.split(", ")}
    assert {f"{package.name} {package.version}" for package in licences.listed(text)} == owners


def test_macros_and_what_only_tests_use_are_not_carried() -> None:
    names = {package.name for package in rust()}
    assert {"serde", "rustls", "ring", "hdrhistogram"} <= names
    assert not {"serde_derive", "syn", "proptest", "rcgen", "cc", "windows-sys"} & names
    assert not [name for name in names if name.startswith("hopcost")]


def test_a_text_stands_once_under_all_its_packages() -> None:
    written = licences.section("Title", [ISC, MIT], {"The text": [ISC, MIT]})
    assert written.splitlines()[:4] == ["Title", "", "* one 1.0.0: MIT OR Apache-2.0", "* two 2.0.0-rc1: ISC"]
    assert written.count("The text") == 1
    assert "one 1.0.0, two 2.0.0-rc1\n" in written
    assert licences.listed(written) == {MIT, ISC}
