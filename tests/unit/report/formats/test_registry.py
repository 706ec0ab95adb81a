"""A new format is one module and its lines in the registry: every verb whose results it can write has it."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import import_module
from types import SimpleNamespace

import pytest
import typer
from samples.questions.claims import judged
from samples.reports import everything

from hopcost.cli.shared.arguments import format_option
from hopcost.errors import CannotMeasure
from hopcost.report import FORMATS, Format, Result, Source, formats_with, render
from hopcost.report.questions.claims import claims_report
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import summarise


class Shout(StrEnum):
    """A format that nobody knows yet."""

    SHOUT = "shout"


@pytest.fixture
def shout(monkeypatch: pytest.MonkeyPatch) -> Format:
    def write(result: Result) -> str:
        return str(result.document().sections[0]).upper()

    monkeypatch.setitem(FORMATS, Shout.SHOUT, Source.DOCUMENT)  # type: ignore[misc]  # an enum takes no new member
    monkeypatch.setitem(sys.modules, "hopcost.report.formats.shout", SimpleNamespace(write=write))
    return Shout.SHOUT  # type: ignore[return-value]


def test_a_format_in_the_registry_writes_all_results(shout: Format) -> None:
    content = everything()
    assert "HEADING(" in render(record_report(content, summarise(content)), shout)
    assert "HEADING(" in render(claims_report(judged()), shout)


def test_a_format_in_the_registry_is_offered_by_every_verb_that_can_use_it(shout: Format) -> None:
    for sources in ((Source.DOCUMENT, Source.DATA), (Source.DOCUMENT, Source.DATA, Source.ROWS), tuple(Source)):
        option = format_option(*sources)
        assert isinstance(option, typer.models.OptionInfo) and option.metavar is not None
        assert "shout" in option.metavar
    assert shout not in formats_with(Source.DATA)


@pytest.mark.parametrize("format", Format)
def test_every_format_is_in_the_registry_and_has_its_module(format: Format) -> None:
    assert format in FORMATS
    assert callable(import_module(f"hopcost.report.formats.{format}").write)


def test_a_format_whose_packages_are_missing_names_the_extra_that_brings_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("hopcost.report.formats.html")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    needs = ["rich>=13.9", 'altair>=5.5; extra == "html"', "vl-convert-python>=1.7 ; extra == 'html'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: needs)
    content = everything()
    with pytest.raises(CannotMeasure) as refused:
        render(record_report(content, summarise(content)), Format.HTML)
    assert refused.value.message == "a report as html needs vl_convert, which is not installed"
    assert refused.value.hint == "pip install altair vl-convert-python (hopcost's extra 'html')"
