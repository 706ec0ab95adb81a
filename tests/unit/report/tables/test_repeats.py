"""Repeats of an article's protocol: means, spreads, no verdict."""

from __future__ import annotations

import msgspec
from samples.records import plan_of, record
from samples.reports import rendered
from samples.sweeps import peer_run, planned, point, repeat

from hopcost.report.tables.experiment import tables
from hopcost.statistics.summary.summary import summarise
from hopcost.suites.peer_name import PeerName
from hopcost.suites.published import Protocol


def test_repeats_have_a_mean_a_spread_and_no_verdict() -> None:
    plan = msgspec.structs.replace(
        plan_of(),
        experiments=[planned(as_published=Protocol(peer=PeerName.WRK, duration_s=30, repeats=2, connections=5000))],
    )
    repeats = [
        repeat("direct", 0, peer_run(1000)),
        repeat("direct", 1, peer_run(3000)),
        repeat("behind", 0, peer_run(500, {"timeout": 661})),
        repeat("behind", 1, None, "wrk: connection refused"),
    ]
    content = record(plan=plan, repeats=repeats)
    (made,) = tables(summarise(content))
    assert made.table.rows == [
        ["direct", "1,000, 3,000", "2,000", "1,000–3,000", "1.00", "0", "50", "40,000", "1.00", "0"],
        ["behind", "500", "500", "–", "0.25", "661 timeout", "50", "10,000", "0.25", "661 timeout, 2 write"],
    ]
    assert "nothing is interleaved" in made.notes.lines[0] and "no A/A" in made.notes.lines[0]
    assert "failed: behind: wrk: connection refused" in made.notes.lines
    assert (
        "every arm: wrk 4.1.0, 64 connections, 1 s a repeat; published: 5000 connections, 30 s, 2 times"
        in made.notes.lines
    )
    assert "1,000, 3,000" in rendered("txt", content)


def test_what_all_values_of_repeats_share_is_said_once() -> None:
    protocol = Protocol(peer=PeerName.WRK, duration_s=30, repeats=1, connections=5000)
    points = [msgspec.structs.replace(point(value), as_published=protocol, notes=["n"]) for value in (10, 1000)]
    ran = [repeat("direct", 0, peer_run(1000)), repeat("direct", 0, None, "refused")]
    for each, experiment in zip(ran, points, strict=True):
        each.experiment = experiment.name
    content = record(plan=msgspec.structs.replace(plan_of(), experiments=points), repeats=ran)
    (made,) = tables(summarise(content))
    assert "note: n" in made.notes.lines
    assert "at 1000: failed: direct: refused" in made.notes.lines
    how = "64 connections, 1 s a repeat; published: 5000 connections, 30 s, once"
    assert f"at 10: direct: wrk 4.1.0, {how}" in made.notes.lines
