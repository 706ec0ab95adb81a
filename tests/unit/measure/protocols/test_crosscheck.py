"""The crosscheck's turns: what is left out when a generator or an arm fails. No generator runs."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from samples.crosschecks import played

from hopcost.errors import ArmFailed
from hopcost.generators.peers import BY_NAME
from hopcost.generators.peers.peer import Counts, Peer, PeerLoad
from hopcost.measure import peer_load
from hopcost.measure.protocols import crosscheck
from hopcost.record.repeat import PeerRun
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck
from hopcost.suites.experiment import Workload


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two generators that only note that it was their turn; `ab` fails in its second one."""
    said: list[str] = []

    def run(peer: Peer, version: str, words: list[str], *_: object, at_most_s: float) -> PeerRun:
        assert at_most_s > 1
        said.append(peer.name)
        if peer.name == "ab" and said.count("ab") == 2:
            raise ArmFailed("go", "ab ended with 22: no more")
        return played(peer.name, 1000, version=version)

    def callers(_: Workload) -> tuple[dict[str, Any], dict[str, str]]:
        words: Callable[[PeerLoad], list[str]] = lambda load: [f"{load.seconds}s"]  # noqa: E731
        made = {name: crosscheck._Caller(BY_NAME["ab"], "1", words) for name in ("ab",)}
        engine = Peer(OURS, "engine", [], "", "", "", lambda _: [], lambda _: Counts(0, 0))
        return {OURS: crosscheck._Caller(engine, "1", words), **made}, {"hey": "not installed"}

    monkeypatch.setattr(peer_load, "run", run)
    monkeypatch.setattr(peer_load, "url_of", lambda *_: "http://127.0.0.1:1/")
    monkeypatch.setattr(crosscheck, "_callers", callers)
    return said


def made(failure: Callable[[], str | None] = lambda: None, rounds: int = 3) -> Crosscheck:
    cores = SimpleNamespace(generator=[1])
    stack: Any = SimpleNamespace(arm="go", prepared=SimpleNamespace(cores=cores), failure=failure)
    return crosscheck.run_crosscheck(
        "hello/one-core/go", stack, Workload(connections=10), rounds=rounds, seconds=1, seed=7, said=lambda _: None
    )


def test_a_generator_that_fails_is_left_out_from_there_on(asked: list[str]) -> None:
    found = made()
    assert found.left_out == {"hey": "not installed", "ab": "failed: ab ended with 22: no more"}
    assert (asked[0], asked.count(OURS), asked.count("ab")) == (OURS, 1 + 3, 2)  # ours warms up
    assert [(tool.name, tool.turns) for tool in found.tools] == [(OURS, 3), ("ab", 1)]


def test_an_arm_that_ends_under_load_ends_the_crosscheck(asked: list[str]) -> None:
    with pytest.raises(ArmFailed, match="app ended"):
        made(failure=lambda: "app ended by signal 9")
