"""Claims in a suite file: what one means, and what is refused, with key and hint."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.questions.claims import GOOD
from texts import suite_texts

from hopcost.errors import UsageError
from hopcost.suites.articles import claim
from hopcost.suites.articles.claim import ClaimFigure, Relation
from hopcost.suites.read import read_suite
from hopcost.suites.suite import Suite

FIRST = 'experiment = "plain", arm = "behind", relation = "about", size = 0.5, tolerance = 0.3'
SECOND = 'experiment = "swept", at = [10, 20], figure = "errors", arm = "behind", relation = "some"'
TESTS = f"tests = [\n  {{ {FIRST} }},\n  {{ {SECOND} }},\n]"
TEST, SECOND_TEST = "claims[0] (first): tests[0]: ", "claims[0] (first): tests[1]: "


def load(tmp_path: Path, old: str = "", new: str = "") -> Suite:
    return read_suite(suite_texts.write(tmp_path, old, new, GOOD))


def test_a_good_claim_means_what_it_says(tmp_path: Path) -> None:
    read = load(tmp_path)
    (found,) = read.claims
    first, second = found.tests
    assert (found.needs.cores, first.figure, first.relation) == (4, ClaimFigure.THROUGHPUT, Relation.ABOUT)
    assert first.bounds == (pytest.approx(0.5 / 1.3), pytest.approx(0.65))
    assert list(first.points) == [(None, "plain")]
    assert list(second.points) == [(10, "swept@10"), (20, "swept@20")]
    assert claim.reference(first, read.experiments[0]) == "direct"
    assert claim.published_ratio(first, read.experiments[0], None) == pytest.approx(0.4)
    assert [claim.published_errors(second, read.experiments[1], value) for value in (10, 20)] == [None, True]


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("says =", "sais =", "claims[0]: Object contains unknown field `sais`", "did you mean 'says'?"),
        ('"about"', '"abuot"', "claims[0].tests[0].relation: Invalid enum value 'abuot'", "did you mean 'about'?"),
        ("size = 0.5", "size = 0", "claims[0].tests[0].size: Expected `float` > 0.0", None),
        (TESTS, "tests = []", "claims[0].tests: Expected `array` of length >= 1", None),
        ('"plain", arm', '"plian", arm', TEST + "experiment: no experiment 'plian'", "did you mean 'plain'?"),
        ('"plain", arm', '"swept", arm', TEST + "at: missing", "values of the sweep: 10, 20"),
        ('"plain", arm', '"plain", at = [10], arm', TEST + "at: plain has no sweep", "leave it out"),
        ("at = [10, 20]", "at = [10, 21]", SECOND_TEST + "at: 21 is not a value of the sweep", "known: 10, 20"),
        ("at = [10, 20]", "at = [10, 10]", SECOND_TEST + "at: a value stands there twice",
         "leave one of them out"),
        ('arm = "behind", relation = "about"', 'arm = "behnd", relation = "about"',
         TEST + "arm: 'behnd' is not an arm of plain", "did you mean 'behind'?"),
        ('arm = "behind", relation = "about"', 'arm = "behind", to = "other", relation = "about"',
         TEST + "to: 'other' is not an arm of plain", "known: behind, direct"),
        ('arm = "behind", relation = "about"', 'arm = "direct", relation = "about"',
         TEST + "to: 'direct' would be compared with itself", "name the other arm: to = …"),
        (FIRST, 'experiment = "plain", arm = "behind", relation = "some"',
         TEST + 'relation: "some" cannot be said of throughput',
         '"some" and "none" are said of errors alone, "at least" of everything, all others of ratios and drifts'),
        ('relation = "some"', 'relation = "more"', SECOND_TEST + 'relation: "more" cannot be said of errors',
         '"some" and "none" are said of errors alone, "at least" of everything, all others of ratios and drifts'),
        ('relation = "some"', 'relation = "at least"', SECOND_TEST + 'size: missing for "at least"',
         '"at least", "at most" and "about" have a size, the other relations none'),
        ('relation = "some"', 'to = "direct", relation = "some"', SECOND_TEST + "to: errors are one arm's own",
         "leave it out"),
        (", size = 0.5", "", TEST + 'size: missing for "about"',
         '"at least", "at most" and "about" have a size, the other relations none'),
        ('relation = "about"', 'relation = "more"', TEST + 'size: not with for "more"',
         '"at least", "at most" and "about" have a size, the other relations none'),
        ('"about"', '"at least"', TEST + 'tolerance: not with "at least"', 'it belongs to "about"'),
        ('arm = "behind", relation = "about"', 'arm = "behind", figure = "drift", relation = "about"',
         TEST + "figure: plain is no soak", "a drift is seen over a soak alone"),
        ('arm = "behind", relation = "about"', 'arm = "behind", hop = "app", relation = "about"',
         TEST + "hop: throughput is not told by hop", 'figure = "cpu_per_request"'),
        ('arm = "behind", relation = "about"',
         'arm = "behind", figure = "cpu_per_request", hop = "proxy", relation = "about"',
         TEST + "hop: 'direct' has no single hop 'proxy'", "known: app"),
        ("tolerance = 0.3", "published = 0.4", TEST + "published: the experiment's own figures give it",
         "leave it out"),
        (', because = "it had four"', "", "claims[0] (first): needs.because: missing",
         "why: it is shown if that is missing"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, message: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, old, new)
    assert caught.value.message == f"{tmp_path / 'mine.toml'}: {message}"
    assert caught.value.hint == hint


def test_a_claim_twice(tmp_path: Path) -> None:
    again = GOOD[GOOD.index("[[claims]]") :]
    with pytest.raises(UsageError, match=r"claims\[1\] \(first\): name: a second claim of this name"):
        load(tmp_path, again, again + again)
