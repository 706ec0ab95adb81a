"""Two records side by side on the page: what `hopcost compare` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from histories.listed import Listed, kept_record
from histories.simulated import simulated_record

from hopcost.page.asked import BadAddress, Query
from hopcost.page.views.compare import show_comparison
from hopcost.record import reader
from hopcost.report.document import Bars, Element, Fold, Lines, Style
from hopcost.report.questions.two_records import comparison_report
from hopcost.statistics.questions.two_records.two_records import compare_records


def two(folder: Path, **environment: Any) -> tuple[Listed, Query]:
    paths = [
        simulated_record(folder / "a", 1, ratio=0.5),
        simulated_record(folder / "b", 2, ratio=0.4, **environment),
    ]
    records = [kept_record(number, path=str(path)) for number, path in enumerate(paths)]
    return Listed(others=records), {"a": [records[0].digest], "b": [records[1].digest]}


def elements_of(content: object) -> list[Element]:
    assert isinstance(content, list)
    return content


def test_it_is_the_document_of_hopcost_compare(tmp_path: Path) -> None:
    kept, query = two(tmp_path)
    page = show_comparison(kept, query)
    assert (page.template, page.status) == ("compare.html.j2", 200)
    elements = elements_of(page.content["elements"])
    a, b = (reader.read_record(tmp_path / name) for name in "ab")
    document = comparison_report(a, b, compare_records(a, b)).document()
    answers = [
        element for section in document.sections for element in section
        if isinstance(element, Lines) and element.style is Style.ANSWER
    ]  # fmt: skip
    assert answers and answers[0] in elements
    assert "slower" in answers[0].lines[0]
    assert any(isinstance(element, Bars) for element in elements)
    assert any(isinstance(element, Fold) and element.title == "Details" for element in elements)


def test_what_should_not_be_compared_is_offered_with_a_link(tmp_path: Path) -> None:
    kept, query = two(tmp_path, cpu="Abacus 3")
    refused = show_comparison(kept, query)
    assert (refused.template, refused.status) == ("refused.html.j2", 409)
    assert "Abacus 3" in str(refused.content["error"])
    assert refused.content["anyway"] == f"/compare?a={query['a'][0]}&b={query['b'][0]}&anyway=yes"
    forced = show_comparison(kept, {**query, "anyway": ["yes"]})
    assert forced.template == "compare.html.j2"
    bars = [element for element in elements_of(forced.content["elements"]) if isinstance(element, Bars)]
    assert any("Compared all the same" in line for line in bars[0].below)


def test_a_record_beside_itself_is_refused_without_an_offer(tmp_path: Path) -> None:
    kept, query = two(tmp_path)
    page = show_comparison(kept, {"a": query["a"], "b": query["a"]})
    assert (page.status, page.content["anyway"]) == (409, None)


@pytest.mark.parametrize("name", ["a", "b"])
def test_both_are_needed(tmp_path: Path, name: str) -> None:
    kept, query = two(tmp_path)
    with pytest.raises(BadAddress, match="two records are compared"):
        show_comparison(kept, {other: words for other, words in query.items() if other != name})
