"""What an offered rate came to: slow, failed and unsent requests, and whose fault they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hdrh.histogram import HdrHistogram
from known import known
from mocks.mock_rig import plan_of
from mocks.queues import ONE_MS, QueueRig, searched

from hopcost.record.contents.offered_load import OpenLoad
from hopcost.statistics.questions.capacity.objectives import read_objectives
from hopcost.statistics.questions.capacity.outcome import Outcome, read_outcome

OBJECTIVES = read_objectives(["p99<20ms"])
EXPERIMENT = plan_of(quick=True).experiments[0]
MS = 1_000_000


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> OpenLoad:
    """A probe of an arm that held."""
    answer = searched(QueueRig({"base": ONE_MS}), tmp_path_factory.mktemp("outcome"), 20.0, "base")
    return answer.record.blocks[0].arms[0].probes[0]


def times(**milliseconds: int) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for name, count in milliseconds.items():
        for _ in range(count):
            histogram.record_value(int(name.removeprefix("ms")) * MS)
    return str(histogram.encode().decode())


def outcome(load: OpenLoad, answered: str, waiting: str | None = None, **keys: Any) -> Outcome:
    totals = msgspec.structs.replace(load.totals, response_time=answered, response_unanswered=waiting)
    piece = msgspec.structs.replace(
        load.slices[0], **{"due": 1000, "answers": 1000, "not_sent": 0, "errors": {}} | keys
    )
    return known(read_outcome(msgspec.structs.replace(load, totals=totals, slices=[piece]), OBJECTIVES, EXPERIMENT))


def test_requests_at_the_limit_and_beyond_are_slow(load: OpenLoad) -> None:
    assert [count.missed for count in outcome(load, times(ms5=985, ms25=15)).counts] == [15, 0, 0]
    assert outcome(load, times(ms5=985, ms25=15)).misses
    assert not outcome(load, times(ms5=990, ms25=10)).misses


def test_a_request_without_an_answer_counts_if_it_is_old_enough(load: OpenLoad) -> None:
    slow = outcome(load, times(ms5=900), times(ms3=50, ms30=50)).counts[0]
    assert (slow.missed, slow.requests) == (50, 950)


def test_errors_and_unsent_requests_miss_too(load: OpenLoad) -> None:
    assert outcome(load, times(ms5=990), errors={"status": 7, "timeout": 3}).counts[1].missed == 10
    unsent = outcome(load, times(ms5=900), not_sent=100)
    assert unsent.misses and unsent.counts[2].missed == 100


def test_what_the_generator_sent_late_is_its_own_limit(load: OpenLoad) -> None:
    slow = times(ms5=900, ms50=100)
    assert outcome(load, slow, late=200).is_limited
    assert not outcome(load, slow, late=20).is_limited
    assert not outcome(load, times(ms5=1000), late=200).is_limited, "it held all the same"


def test_no_request_is_no_outcome(load: OpenLoad, tmp_path: Path) -> None:
    empty = msgspec.structs.replace(load.slices[0], due=0)
    assert read_outcome(msgspec.structs.replace(load, slices=[empty]), OBJECTIVES, EXPERIMENT) is None
