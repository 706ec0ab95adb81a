"""Claims as text, Markdown, JSON and CSV: how many hold, each with its figure, and what would settle the open ones."""

from __future__ import annotations

import csv
import io
import json

import golden
import msgspec
import pytest
from samples.questions.claims import judged
from samples.questions.judgements import claim, compare, six
from samples.questions.judgements import judged as judge
from samples.records import record

from hopcost.report import Format, render
from hopcost.report.questions.claims import claims_report
from hopcost.report.questions.claims.words import claimed, measured_words
from hopcost.report.questions.claims.words import tests as comparisons
from hopcost.statistics.questions.claims.result import Errors
from hopcost.suites.articles.claim import ClaimFigure, Relation


@pytest.mark.parametrize("format", [Format.TEXT, Format.MARKDOWN, Format.JSON])
def test_as_text_markdown_and_json(format: Format) -> None:
    ending = {Format.TEXT: "txt", Format.MARKDOWN: "md", Format.JSON: "json"}[format]
    golden.compare(f"questions/claims/report.{ending}", render(claims_report(judged()), format))


def test_the_details_to_the_last_byte() -> None:
    golden.compare("questions/claims/details.txt", render(claims_report(judged(), details=True), Format.TEXT))


def test_the_sentence_comes_first_and_nothing_is_wider_than_a_small_terminal() -> None:
    lines = render(claims_report(judged()), Format.TEXT).splitlines()
    assert lines[1].strip() == "Of 3 claims 1 holds, 1 does not hold, 1 cannot be tested here."
    assert max(map(len, lines)) <= 80


def test_signs_of_markdown_are_escaped() -> None:
    assert "A proxy costs \\| much." in render(claims_report(judged()), Format.MARKDOWN)


def test_json_has_the_words_of_the_code() -> None:
    content = json.loads(render(claims_report(judged()), Format.JSON))
    assert [judgement["outcome"] for judgement in content] == ["holds", "does not hold", "not testable here"]


def test_an_open_claim_tells_the_minutes_and_the_command() -> None:
    """Blocks take a second; the forecast is that of the statistics."""
    near = judge(claim(compare(Relation.AT_MOST, 0.405)), record(*six()))
    text = render(claims_report([near]), Format.TEXT)
    assert "not settled" in text and "more would settle it." in text
    assert "next    hopcost run made-up/cost --time " in text and "--precision 1.2%" in text
    (row,) = csv.DictReader(io.StringIO(render(claims_report([near]), Format.CSV)))
    assert float(row["settles_at"]) == pytest.approx(0.0126, rel=0.01) and int(row["settles_after_starts"]) >= 1


def test_a_soak_is_one_server_start_in_many_segments() -> None:
    more = judge(claim(compare(Relation.MORE)), record(*six()))
    (result,) = more.results
    test = msgspec.structs.replace(result.test, figure=ClaimFigure.DRIFT)
    drift = msgspec.structs.replace(more, results=[msgspec.structs.replace(result, test=test)])
    assert "in 6 server starts of made-up (" in comparisons(more)[0]
    assert "in 1 server start of made-up (" in comparisons(drift)[0]


def test_an_open_claim_that_no_time_settles_tells_why() -> None:
    alone = judge(claim(compare(Relation.LESS)), record(*six()[:1]))
    text = render(claims_report([alone]), Format.TEXT)
    assert "would settle it" not in text and "nly one server start, 2 are needed" in text
    assert "next    hopcost claims … --details" in text


def test_a_claim_that_no_record_has_asks_for_its_run() -> None:
    unmeasured = judge(claim(compare(Relation.LESS)))
    text = render(claims_report([unmeasured]), Format.TEXT)
    assert "behind ÷ direct in cost: not measured" in text and "In none of the records." in text
    assert "next    hopcost run made-up/cost   tests one more" in text


@pytest.mark.parametrize(
    ("relation", "size", "words"),
    [
        (Relation.MORE, None, "more than 100 %"),
        (Relation.AT_LEAST, 0.9, "at least 90 %"),
        (Relation.ABOUT, 2.5, "about 250 % (±10 %)"),
        (Relation.NONE, None, "no errors"),
    ],
)
def test_what_is_claimed_in_the_one_notation(relation: Relation, size: float | None, words: str) -> None:
    assert claimed(compare(relation, size)) == words


def test_errors_of_each_start() -> None:
    test = compare(Relation.AT_LEAST, 488, figure=ClaimFigure.ERRORS)
    assert claimed(test) == "at least 488 errors a start"
    result = judge(claim(test)).results[0]
    assert measured_words(result) == "–"
    for errors, words in (
        (Errors(count=0, blocks=0, least=0), "none"),
        (Errors(count=1032, blocks=2, least=3), "1,032 errors, 3 in the start with the fewest"),
    ):
        assert measured_words(msgspec.structs.replace(result, errors=errors)) == words
