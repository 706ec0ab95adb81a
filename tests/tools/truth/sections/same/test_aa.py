"""The section of proxies that are the same, out of forged reports. Nothing is run."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from samples.truth import comparison, filled, report

from hopcost.statistics.verdict import Size
from tools.truth import lines
from tools.truth.form import Form
from tools.truth.sections.same import aa, alarms

NONE = dict.fromkeys([*alarms.counted(report([])), "seconds", "blocks"], 0.0)
SHORT, LONG = aa.LENGTHS


def test_every_arm_is_nginx_with_two_workers_before_go() -> None:
    for beside in aa.ARMS_BESIDE:
        suite = tomllib.loads(aa.suite(beside))
        assert len(suite["arms"]) == beside + 1
        (chain,) = {str(arm["hops"]) for arm in suite["arms"].values()}
        assert "'worker_processes': 2" in chain and chain.index("nginx") < chain.index("go-hello")
        assert suite["experiments"][0]["placement"] == "all-cores"


def test_there_are_a_hundred_short_and_thirty_long_experiments() -> None:
    assert [length.runs * len(aa.ARMS_BESIDE) for length in aa.LENGTHS] == [100, 30]
    assert sum(case.runs for case in aa.SameProxies().cases()) == 130
    assert sum(case.runs for case in aa.SameProxies(form=Form.SHORT).cases()) == 100


def test_directions_and_what_is_resolved_by_hand() -> None:
    figures = alarms.counted(
        report(
            [comparison("throughput", "faster", 1.001, 1.01, size=Size.NEGLIGIBLE)],
            [comparison("throughput", "same", 0.93, 1.07), comparison("cpu_per_request", "not settled", 0.93, 1.07)],
            [comparison("throughput", "not settled", 0.96, 1.04)],
        )
    )
    assert aa.has_direction(figures), "by however little"
    assert (figures["throughput_present"], figures["throughput_resolved"]) == (3, 3)
    assert (figures["cpu_per_request_present"], figures["cpu_per_request_resolved"]) == (1, 0)
    assert aa.resolved_share([figures]) == pytest.approx(3 / 4)
    assert not aa.has_direction(NONE) and aa.resolved_share([NONE]) == 0.0


def test_how_many_are_too_many() -> None:
    excluding, directed = NONE | {"throughput_excludes": 1.0}, NONE | {"cpu_per_request_directions": 2.0}
    assert aa.verdict(SHORT, [NONE] * 85 + [excluding] * 6 + [directed] * 9, 100) == "yes"
    assert aa.verdict(SHORT, [NONE] * 93 + [excluding] * 7, 100) == "no"
    assert aa.verdict(SHORT, [directed] * 10, 100) == "no", "known before all are done"
    either = [NONE] * 88 + [excluding] * 6 + [NONE | {"cpu_per_request_excludes": 1.0}] * 6
    assert aa.verdict(SHORT, either, 100) == "yes", "each figure has its own error"
    assert aa.verdict(SHORT, [NONE] * 99, 100) == "unfinished: 99 of 100 runs"
    silent = NONE | {"silent": 1.0}
    assert aa.verdict(SHORT, [NONE] * 89 + [silent] * 11, 100) == "no: 11 runs had no verdicts"


def test_long_runs_must_settle_something() -> None:
    def settled(of_ten: int) -> dict[str, float]:
        return NONE | {"throughput_present": 10.0, "throughput_resolved": float(of_ten)}

    assert aa.verdict(LONG, [settled(6)] * 30, 30) == "yes"
    assert aa.verdict(LONG, [settled(5)] * 30, 30) == "no: 50% of the comparisons are resolved, 60% should be"
    assert aa.verdict(SHORT, [settled(0)] * 100, 100) == "yes"


def test_the_section_of_same_proxies() -> None:
    def right(case: Any, n: int) -> dict[str, float]:
        return NONE | {"throughput_present": 1.0, "throughput_resolved": 1.0, "throughput_width": 0.03, "blocks": 4.0}

    text, holds = aa.SameProxies().page(filled(aa.SameProxies(), right))
    assert holds and "| 20 | together | 100 of 100 | 0 | 0 | 0 | 100% | 0 | 4 | 3.0 % | 0.0 % |" in text

    def crying(case: Any, n: int) -> dict[str, float]:
        return right(case, n) | {"throughput_directions": float(case.name.startswith("20 s") and n < 5)}

    text, holds = aa.SameProxies().page(filled(aa.SameProxies(), crying))
    assert not holds and "Holds: 20 s: no; 120 s: yes." in text
    section = aa.SameProxies(form=Form.SHORT)
    assert section.page(filled(section, right))[1]
    text, holds = section.page(lines.Sorted([], {}))
    assert not holds and "Holds: 20 s: unfinished: 0 of 100 runs." in text
