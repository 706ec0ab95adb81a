"""The crosscheck: turns of several generators on one stack, folded and shown; generators are played here."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from samples.crosschecks import played

from hopcost import crosscheck, driven, peers
from hopcost.crosscheck import OURS, Crosscheck
from hopcost.errors import ArmFailed
from hopcost.peers import Load
from hopcost.recorded import PeerRun
from hopcost.suite import Workload


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two generators that only note that it was their turn; `ab` fails in its second one."""
    said: list[str] = []

    def run(peer: peers.Peer, version: str, words: list[str], *_: object, at_most_s: float) -> PeerRun:
        assert at_most_s > 1
        said.append(peer.name)
        if peer.name == "ab" and said.count("ab") == 2:
            raise ArmFailed("go", "ab ended with 22: no more")
        return played(peer.name, 1000, version=version)

    def callers(_: Workload) -> tuple[dict[str, Any], dict[str, str]]:
        words: Callable[[Load], list[str]] = lambda load: [f"{load.seconds}s"]  # noqa: E731
        made = {name: crosscheck._Caller(peers.BY_NAME["ab"], "1", words) for name in ("ab",)}
        engine = peers.Peer(OURS, "engine", [], "", lambda *_: [], lambda _: peers.Counts(0, 0))
        return {OURS: crosscheck._Caller(engine, "1", words), **made}, {"hey": "not installed"}

    monkeypatch.setattr(driven, "run", run)
    monkeypatch.setattr(driven, "url_of", lambda *_: "http://127.0.0.1:1/")
    monkeypatch.setattr(crosscheck, "_callers", callers)
    return said


def made(failure: Callable[[], str | None] = lambda: None, rounds: int = 3) -> Crosscheck:
    cores = SimpleNamespace(generator=[1])
    stack: Any = SimpleNamespace(arm="go", prepared=SimpleNamespace(cores=cores), failure=failure)
    return crosscheck.run(
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
