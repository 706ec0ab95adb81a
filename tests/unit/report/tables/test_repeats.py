"""Repeats of an article's protocol: means, spreads, no verdict."""

from __future__ import annotations

import msgspec
from known import known
from samples.records import record
from samples.reports import rendered
from samples.sweeps import notes_of, peer_run, plan_with, planned, point, repeat, table_of

from hopcost.report import Part
from hopcost.suites.articles.published import Protocol
from hopcost.suites.peer_name import PeerName


def test_repeats_have_a_mean_a_spread_and_no_verdict() -> None:
    plan = plan_with(planned(as_published=Protocol(peer=PeerName.WRK, duration_s=30, repeats=2, connections=5000)))
    repeats = [
        repeat("direct", 0, peer_run(1000)),
        repeat("direct", 1, peer_run(3000)),
        repeat("behind", 0, peer_run(500, {"timeout": 661})),
        repeat("behind", 1, None, "wrk: connection refused"),
    ]
    content = record(plan=plan, repeats=repeats)
    lines = notes_of(content)
    assert known(table_of(content, Part.PUBLISHED)).rows == [
        ["direct", "1,000, 3,000", "2,000", "1,000–3,000", "1.00", "0", "50", "40,000", "1.00", "0"],
        ["behind", "500", "500", "–", "0.25", "661 timeout", "50", "10,000", "0.25", "661 timeout, 2 write"],
    ]
    assert any("no two run at once" in line for line in lines)
    assert "failed: behind: wrk: connection refused" in lines
    assert "every stack: wrk 4.1.0, 64 connections, 1 s a repeat; published: 5,000 connections, 30 s, 2 times" in lines
    assert "2,000" in rendered("txt", content)


def test_what_all_values_of_repeats_share_is_said_once() -> None:
    protocol = Protocol(peer=PeerName.WRK, duration_s=30, repeats=1, connections=5000)
    points = [msgspec.structs.replace(point(value), as_published=protocol, notes=["n"]) for value in (10, 1000)]
    ran = [repeat("direct", 0, peer_run(1000)), repeat("direct", 0, None, "refused")]
    for repeat_, experiment in zip(ran, points, strict=True):
        repeat_.experiment = experiment.name
    content = record(plan=plan_with(*points), repeats=ran)
    lines = notes_of(content)
    assert "note: n" in lines
    assert "at 1000: failed: direct: refused" in lines
    how = "64 connections, 1 s a repeat; published: 5,000 connections, 30 s, once"
    assert f"at 10: direct: wrk 4.1.0, {how}" in lines
