"""What the shipped suites claim, beside the figures of the articles."""

from __future__ import annotations

import pytest

from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.statistics.questions.claims.result import ClaimTestResult
from hopcost.suites.articles import claim
from hopcost.suites.articles.claim import Claim, ClaimFigure
from hopcost.suites.read import read_suite, shipped_suites
from hopcost.suites.suite import Suite


def of_all_suites() -> list[tuple[Suite, Claim]]:
    return [(read, each) for read in map(read_suite, shipped_suites()) for each in read.claims]


def published(read: Suite, each: Claim) -> list[ClaimTestResult]:
    """A claim's comparisons with what the article printed for them."""
    results = []
    for test in each.tests:
        experiment = read.experiment(test.experiment)
        for value, name in test.points:
            ratio = claim.published_ratio(test, experiment, value)
            errors = claim.published_errors(test, experiment, value) if test.figure is ClaimFigure.ERRORS else None
            results.append(
                ClaimTestResult(
                    experiment=name,
                    test=test,
                    to=None,
                    outcome=ClaimOutcome.NOT_SETTLED,
                    published=ratio,
                    published_errors=errors,
                )
            )
    return results


def test_what_is_claimed() -> None:
    claimed = {name: [each.name for each in read_suite(name).claims] for name in shipped_suites()}
    assert {name: claims for name, claims in claimed.items() if claims} == {
        "hello": ["fasthttp-level-with-actix", "fasthttp-ahead-of-nginx"],
        "nginx-express": [
            "nginx-faster-than-apache",
            "gzip-gains",
            "worker-connections-above-connections",
            "more-workers-than-cores-gain",
            "pm2-gains",
            "proxy-needs-tw-reuse",
            "unix-then-keepalive-then-tw-reuse",
            "cache-gains",
            "tuning-does-nothing",
            "more-apache-processes-are-slower",
            "apache-errs-beyond-its-processes",
            "nginx-carries-10000",
            "worker-connections-of-the-whole-server",
            "large-worker-connections-cost-little",
            "gzips-gain-is-the-shorter-transfer",
            "gzip-costs-cpu",
            "with-gzip-more-workers-gain-nothing",
            "one-worker-with-gzip-errs",
        ],
        "nginx-go": [
            "little-with-one-thread",
            "much-with-every-core",
            "http-beats-fastcgi",
            "http-beats-fastcgi-at-5000",
            "fastcgi-faster-on-a-unix-socket",
            "gos-fastcgi-is-the-cause",
            "file-from-nginx",
            "balancing-loses",
        ],
        "nginx-go-512": [
            "go-20-percent-behind",
            "go-8-to-11-percent-behind-short",
            "go-10-to-21-percent-behind-kept",
            "go-ahead-at-5000-short",
            "go-proxy-steady",
            "go-proxy-leaves-half",
            "nginx-proxy-leaves-54-to-78-percent",
            "nginx-proxy-ahead-at-100",
        ],
    }


def test_the_articles_own_figures_contradict_their_words_in_two_claims_alone() -> None:
    """Go "about 20 %" behind, where the tables have 8 to 21 %; Apache's error with 5000 processes at 1000."""
    against = {
        each.name: [result.experiment for result in published(read, each) if result.published_fits is False]
        for read, each in of_all_suites()
    }
    assert {name: places for name, places in against.items() if places} == {
        "go-20-percent-behind": [
            "keep-alive@100",
            *[f"short-connections@{connections}" for connections in (100, 200, 500, 1000, 2000)],
        ],
        "apache-errs-beyond-its-processes": ["connections@1000"],
    }


def test_published_figures_stand_beside_all_comparisons_that_can_have_them() -> None:
    """Not: a soak's drift, CPU that the article did not print, gzip without a link, 64 connections in place of 5000."""
    without = {
        each.name
        for read, each in of_all_suites()
        for result in published(read, each)
        if result.published is None and result.published_errors is None
    }
    assert without == {
        "go-proxy-steady",
        "gos-fastcgi-is-the-cause",
        "gzips-gain-is-the-shorter-transfer",
        "http-beats-fastcgi",
    }


def test_ratios_that_no_experiment_has_are_those_of_the_articles_figures() -> None:
    ratios = {each.name: test.published for _, each in of_all_suites() for test in each.tests if test.published}
    assert ratios == {
        "large-worker-connections-cost-little": pytest.approx(37791 / 38557, abs=0.001),
        "gzip-costs-cpu": pytest.approx((70 / 61616) / (10 / 44829), abs=0.01),
    }


@pytest.mark.parametrize(
    ("name", "ratio"),
    [
        ("little-with-one-thread", 39991.57 / 42745.15),
        ("much-with-every-core", 74442.91 / 128402.88),
        ("go-ahead-at-5000-short", 10869.80 / 6047.29),
        ("fasthttp-level-with-actix", 131930.78 / 132629.68),
        ("pm2-gains", 46179 / 14477),
    ],
)
def test_published_ratios_as_the_articles_print_their_figures(name: str, ratio: float) -> None:
    ((read, found),) = [(read, each) for read, each in of_all_suites() if each.name == name]
    assert [result.published for result in published(read, found)] == [pytest.approx(ratio)]


def test_what_needs_more_than_this_machine_may_have() -> None:
    assert {each.name for _, each in of_all_suites() if each.needs.cores > 1} == {
        "little-with-one-thread",
        "gzip-gains",
        "more-workers-than-cores-gain",
        "with-gzip-more-workers-gain-nothing",
    }
