"""Sites on any Dask client: a cluster in this process, whose tasks answer, fail, vanish or say nonsense."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

pytest.importorskip("distributed")

from distributed import Client, LocalCluster

from hopcost.errors import MeasurementFailed
from hopcost.measure.sites.dask import fleet, settings
from hopcost.measure.sites.dask.fleet import DaskSites
from hopcost.measure.sites.fleet import Arrived, Event, Lost, Progress
from hopcost.measure.sites.messages import Watch, Watched

LIMIT_S = 30.0
COUNTED: list[str] = []


def answer(order: bytes, *, opens: bool = False) -> bytes:
    """As the leader's task: by the first of the cores that are asked for."""
    from distributed import get_worker

    worker = get_worker()
    COUNTED.append(str(worker.name))
    (what, *_) = msgspec.json.decode(order, type=Watch).cores
    if what == 1:
        raise MeasurementFailed("the site's leader ended")
    if what == 2:
        return b"half a li"
    if what == 3:
        worker.log_event("hopcost", {"site": worker.name, "line": '{"type": "doing", "arm": "one", "doing": "load"}'})
    return msgspec.json.encode(Watched(0.0, str(worker.name)))


@pytest.fixture
def sites(monkeypatch: pytest.MonkeyPatch) -> Iterator[DaskSites]:
    monkeypatch.setattr(fleet, "ask_leader", answer)
    COUNTED.clear()
    settings.apply()
    options = {"n_workers": 0, "processes": False, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster, set_as_default=False) as client:
        from distributed import Worker

        for name in "ab":
            cluster.worker_spec[name] = {"cls": Worker, "options": {"nthreads": 1, **settings.NO_DASHBOARD}}
        cluster.sync(cluster._correct_state)
        client.wait_for_workers(2, timeout=LIMIT_S)
        yield DaskSites(client)


def next_of(sites: DaskSites) -> Event:
    event = sites.next_event(LIMIT_S)
    assert event is not None
    return event


def test_a_task_runs_on_its_site_alone_and_comes_back_whole(sites: DaskSites) -> None:
    for name in "abab":
        sites.submit(name, Watch([0]), name)
        event = next_of(sites)
        assert event == Arrived(name, name, Watched(0.0, name))
    assert list("abab") == COUNTED


@pytest.mark.parametrize(
    ("what", "words"), [(1, "a: the site's leader ended"), (2, "a: its answer is not whole")], ids=["fails", "half"]
)
def test_what_fails_is_told_once_and_not_tried_again(sites: DaskSites, what: int, words: str) -> None:
    sites.submit("a", Watch([what]), "x")
    event = next_of(sites)
    assert isinstance(event, Lost) and event.why.startswith(words) and not event.site_is_gone
    assert sites.next_event(0.3) is None and COUNTED == ["a"]


def test_progress_is_heard(sites: DaskSites) -> None:
    sites.submit("b", Watch([3]), "x")
    events = [next_of(sites), next_of(sites)]
    assert Progress("b", "one", "load") in events


def test_a_site_that_is_not_there_is_lost_at_once_and_stays_so(sites: DaskSites) -> None:
    sites.submit("c", Watch([0]), "x")
    event = next_of(sites)
    assert isinstance(event, Lost) and event.site_is_gone
    sites.revive("c")
    event = next_of(sites)
    assert isinstance(event, Lost) and event.key == "open" and event.why == "its worker is gone"
