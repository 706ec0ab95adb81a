"""Other generators' own counts, read from what they print; errors are never answers."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.programs.generators.peers import BY_NAME, ab, h2load, hey, oha, ours
from hopcost.programs.generators.peers.peer import Counts, Peer, PeerLoad
from hopcost.programs.generators.peers.wrk import WRK

WRK_ERRORS = """Running 1s test @ http://127.0.0.1:1/
  1 threads and 64 connections
  1000 requests in 1.00s, 0.16MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 100
"""
AB = """Complete requests:      50000
Failed requests:        12
   (Connect: 0, Receive: 0, Length: 12, Exceptions: 0)
Non-2xx responses:      8
"""
H2LOAD = """requests: 110 total, 110 started, 105 done, 100 succeeded, 5 failed, 0 errored, 0 timeout
status codes: 100 2xx, 0 3xx, 0 4xx, 5 5xx
"""
OHA = """{"statusCodeDistribution": {"200": 90, "500": 7}, "errorDistribution": {"aborted due to deadline": 64,
"connection error": 2}}"""

ENGINE = ours.our_engine(Path("x"), "x")


@pytest.mark.parametrize(
    ("peer", "output", "expected"),
    [
        (WRK, WRK_ERRORS, Counts(answers=900, errors=110)),
        (WRK, "  1000 requests in 1.00s, 0.16MB read", Counts(answers=1000, errors=0)),
        (ab.AB, AB, Counts(answers=49980, errors=20)),
        (h2load.H2LOAD, H2LOAD, Counts(answers=100, errors=5)),
        (oha.OHA, OHA, Counts(answers=90, errors=9)),
        (ENGINE, '{"answers": 5, "errors": {"read": 2, "body": 1}}', Counts(answers=5, errors=3)),
    ],
)
def test_counts_come_from_the_generators_own_output(peer: Peer, output: str, expected: Counts) -> None:
    counts = peer.counts(output)
    assert (counts.answers, counts.errors) == (expected.answers, expected.errors)


HEY = """Summary:
  Total:	2.0004 secs
  Slowest:	0.0100 secs
  Average:	0.0020 secs
  Requests/sec:	1000.5

Latency distribution:
  50% in 0.0019 secs
  99% in 0.0080 secs

Status code distribution:
  [200]	1990 responses
  [502]	7 responses

Error distribution:
  [3]	Get "http://127.0.0.1:1/": EOF
"""


def test_hey_errors_are_no_answers_and_its_times_are_kept() -> None:
    counts = hey.HEY.counts(HEY)
    assert (counts.answers, counts.errors, counts.kinds) == (1990, 10, {"status": 7, "read": 3})
    assert counts.latency_ms == pytest.approx({"mean": 2.0, "max": 10.0, "p50": 1.9, "p99": 8.0})


@pytest.mark.parametrize(("line", "kept"), [("Keep-Alive requests:    990\n", 990), ("", None)])
def test_ab_says_how_many_connections_were_kept_where_it_asked_for_that(line: str, kept: int | None) -> None:
    assert ab.AB.counts(AB + line).kept_alive == kept


@pytest.mark.parametrize("name", ["hey", "oha"])
def test_a_generator_does_not_ask_for_gzip_by_itself(name: str) -> None:
    given = BY_NAME[name].words(PeerLoad(url="http://127.0.0.1:1/", connections=1, seconds=1))
    assert any(word.strip("-") == "disable-compression" for word in given)


@pytest.mark.parametrize(
    ("name", "requests_per_connection", "refused"),
    [("h2load", None, False), ("h2load", 1, True), ("wrk", 1, False), ("wrk", 100, True)],
)
def test_a_generator_that_cannot_close_connections_so_is_not_asked_to(
    name: str, requests_per_connection: int | None, refused: bool
) -> None:
    with pytest.raises(CannotMeasure, match=name) if refused else contextlib.nullcontext():
        BY_NAME[name].refuse_unable(requests_per_connection, accepts_gzip=True)


def test_ab_is_not_asked_for_compressed_answers() -> None:
    """It speaks HTTP/1.0, and nginx before its gzip is as fast to it as nginx without."""
    peer = BY_NAME["ab"]
    peer.refuse_unable(None, accepts_gzip=False)
    with pytest.raises(CannotMeasure, match=r"ab speaks HTTP/1\.0"):
        peer.refuse_unable(None, accepts_gzip=True)


def test_output_without_a_count_is_a_failure_not_zero() -> None:
    with pytest.raises(MeasurementFailed, match="no '"):
        WRK.counts("unable to connect to 127.0.0.1:1")
