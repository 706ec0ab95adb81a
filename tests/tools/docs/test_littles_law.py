"""Published means against published throughputs, by Little's law."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.questions.claims import GOOD

from hopcost.suites import read
from tools.docs import littles_law


def test_littles_law_finds_the_two_means_that_cannot_be() -> None:
    rows = [row for name in read.shipped_suites() for row in littles_law.rows(read.read_suite(name))]
    assert len(rows) == 11
    assert [(row.experiment, row.arm) for row in rows if not row.agrees] == [
        ("all-cores-5000", "nginx-http-tcp"),
        ("all-cores-5000", "nginx-fastcgi-unix"),
    ]
    (disagreeing,) = [row for row in rows if row.arm == "nginx-http-tcp" and not row.agrees]
    # 5000 connections ÷ 74,442.91/s = 67.2 ms; published: 336.77 ms.
    assert (disagreeing.connections, disagreeing.published_ms) == (5000, 336.77)
    assert disagreeing.expected_ms == pytest.approx(67.165, abs=0.001)


def test_littles_law_takes_the_connections_of_the_point_or_of_the_protocol(tmp_path: Path) -> None:
    text = GOOD.replace("at = 20, errored = true", "at = 20, throughput_per_s = 1000, latency_mean_ms = 20.0", 1)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    (row,) = littles_law.rows(read.read_suite(str(path)))
    assert (row.at, row.connections, row.expected_ms, row.agrees) == (20, 20, 20.0, True)
    protocol = 'as_published = { peer = "wrk", duration_s = 1, connections = 40 }\npublished = [{ arm = "behind", at'
    path.write_text(text.replace('published = [{ arm = "behind", at', protocol), encoding="utf-8")
    (row,) = littles_law.rows(read.read_suite(str(path)))
    assert (row.connections, row.expected_ms, row.agrees) == (40, 40.0, False)
