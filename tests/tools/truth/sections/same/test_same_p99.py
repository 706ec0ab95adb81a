"""The section of response times that are the same, out of forged reports. Nothing is run."""

from __future__ import annotations

import tomllib

import msgspec
from samples.truth import comparison, filled, report

from tools.truth.sections.same import same_p99

EMPTY = same_p99.counted(report([])) | {"seconds": 0.0, "blocks": 3.0}


def test_both_arms_are_the_same_proxy_under_an_offered_load() -> None:
    suite = tomllib.loads(same_p99.suite())
    (chain,) = {str(arm["hops"]) for arm in suite["arms"].values()}
    assert "'worker_processes': 2" in chain
    assert len(suite["arms"]) == 2 and suite["experiments"][0]["open_loop"] is True


def test_ranges_are_counted_by_quantile() -> None:
    none = msgspec.structs.replace(comparison("response_p99", "not settled", 1.0, 1.0), ratio=None)
    figures = same_p99.counted(
        report([comparison("response_p50", "slower", 1.01, 1.05), comparison("response_p99", "not settled", 0.5, 2.0)])
    )
    assert (figures["response_p50_ranges"], figures["response_p50_excludes"]) == (1, 1)
    assert (figures["response_p99_ranges"], figures["response_p99_excludes"]) == (1, 0)
    assert figures["response_p99_width"] > 0.5
    assert same_p99.counted(report([none]))["response_p99_ranges"] == 0
    assert same_p99.counted(report([comparison("throughput", "slower", 0.8, 0.9)]))["response_p50_ranges"] == 0


def test_four_of_forty_may_exclude_one_and_not_five() -> None:
    fine = EMPTY | {"response_p99_ranges": 1.0, "response_p99_width": 0.4}
    wrong = fine | {"response_p99_excludes": 1.0}
    assert same_p99.verdict("response_p99", [*[wrong] * 4, *[fine] * 36]) == "yes"
    assert same_p99.verdict("response_p99", [*[wrong] * 5, fine]) == "no"
    assert same_p99.verdict("response_p99", [fine] * 39).startswith("unfinished")


def test_runs_without_a_range_prove_nothing() -> None:
    assert same_p99.verdict("response_p99", [EMPTY] * 40) == "no: 40 runs had no range"


def test_the_page_has_a_row_for_each_quantile() -> None:
    section = same_p99.SameP99()
    fine = EMPTY | {f"{name}_ranges": 1.0 for name in same_p99.QUANTILES}
    lines, holds = section.page(filled(section, lambda *_: fine | {f"{n}_width": 0.25 for n in same_p99.QUANTILES}))
    assert holds
    assert [line.split("|")[1].strip() for line in lines if line.startswith("| p")] == ["p50", "p99"]
