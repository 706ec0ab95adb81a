"""The crosscheck: turns of several generators on one stack, folded and shown; generators are played here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import command
import golden
import pytest

from hopcost import crosscheck, peers
from hopcost.crosscheck import OURS, Crosscheck, Turn
from hopcost.errors import ArmFailed
from hopcost.peers import Load
from hopcost.recorded import PeerRun
from hopcost.report import Format, crosscheck_table
from hopcost.suite import Workload


def played(name: str, answers: int, **others: Any) -> PeerRun:
    """A second of load over ten connections on a stack that takes 10 µs per answer."""
    figures: dict[str, Any] = {
        "version": "1.2",
        "command": [name],
        "errors": {},
        "elapsed_ns": 10**9,
        "wall_ns": 11 * 10**8,
        "generator_cpu_ns": 55 * 10**7,
        "cpu_ns": {"nginx": answers * 8000, "go": answers * 2000},
        "throughput_per_s": float(answers),
        "latency_ms": {"mean": 10_000 / answers, "p50": 9.0, "p99": 20.0},
        "output": "",
    }
    return PeerRun(peer=name, answers=answers, **figures | others)


def turns(name: str, *answers: int, **others: Any) -> list[Turn]:
    return [Turn(round=number, run=played(name, each, **others)) for number, each in enumerate(answers)]


def test_figures_are_medians_over_turns_and_ratios_are_to_ours_of_the_same_round() -> None:
    ours, other = crosscheck.summarise(
        [*turns(OURS, 1000, 2000, 1000), *turns("ab", 500, 1000, 500, latency_ms={"mean": 4.0, "p50": 3.0})], 10, 1
    )
    assert (ours.name, ours.per_s, ours.ratio, ours.stack_ratio) == (OURS, 1000, None, None)
    assert (ours.generator_ns, ours.stack_ns, ours.busy) == (550_000, 10_000, pytest.approx(0.5))
    assert ours.in_flight == pytest.approx(1)  # 1000/s × 10 ms = ten connections
    assert ours.p99_ms == (20.0, 20.0)
    assert other.ratio is not None
    assert (other.ratio.value, other.ratio.low, other.ratio.high) == (pytest.approx(0.5),) * 3
    assert other.in_flight == pytest.approx(0.2)  # 500/s × 4 ms = two of ten
    assert other.p99_ms is None


def test_a_round_that_one_of_the_two_lacks_is_not_compared() -> None:
    ours = turns(OURS, 1000, 3000)[1:]
    (_, other) = crosscheck.summarise([*ours, *turns("ab", 10, 1500)], 10, 1)
    assert other.ratio is not None
    assert (other.ratio.value, other.ratio.low, other.turns) == (pytest.approx(0.5), None, 2)


def test_errors_are_added_up_and_the_faster_stands_first_behind_ours() -> None:
    found = crosscheck.summarise(
        [*turns(OURS, 10, 10), *turns("ab", 20, 20, errors={"read": 2}), *turns("wrk", 30, 30)], 10, 1
    )
    assert [tool.name for tool in found] == [OURS, "wrk", "ab"]
    assert found[2].errors == {"read": 4}


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

    monkeypatch.setattr(crosscheck.driven, "run", run)
    monkeypatch.setattr(crosscheck.driven, "url_of", lambda *_: "http://127.0.0.1:1/")
    monkeypatch.setattr(crosscheck, "_callers", callers)
    return said


def made(failure: Callable[[], str | None] = lambda: None, rounds: int = 3) -> Crosscheck:
    cores = SimpleNamespace(generator=[1])
    stack: Any = SimpleNamespace(arm="go", prepared=SimpleNamespace(cores=cores), failure=failure)
    return crosscheck.run(
        "hello/one-core/go", stack, Workload(connections=10), rounds=rounds, seconds=1, seed=7, said=lambda _: None
    )


def test_a_generator_that_fails_is_left_out_from_there_on(asked) -> None:
    found = made()
    assert found.left_out == {"hey": "not installed", "ab": "failed: ab ended with 22: no more"}
    assert (asked[0], asked.count(OURS), asked.count("ab")) == (OURS, 1 + 3, 2)  # ours warms up
    assert [(tool.name, tool.turns) for tool in found.tools] == [(OURS, 3), ("ab", 1)]


def test_an_arm_that_ends_under_load_ends_the_crosscheck(asked) -> None:
    with pytest.raises(ArmFailed, match="app ended"):
        made(failure=lambda: "app ended by signal 9")


def example() -> Crosscheck:
    return Crosscheck(
        arm="hello/one-core/go",
        connections=10,
        cores=1,
        rounds=3,
        seconds=1,
        tools=crosscheck.summarise(
            [
                *turns(OURS, 1000, 1010, 990),
                *turns("wrk", 900, 905, 880),
                *turns("h2load", 800, 790, errors={"read": 1}, latency_ms={"mean": 12.0}),
            ],
            10,
            1,
        ),
        left_out={"hey": "not installed; hint: apt-get install hey"},
        turns=turns(OURS, 1000),
    )


@pytest.mark.parametrize("format", [Format.TEXT, Format.MARKDOWN])
def test_as_text_and_markdown(format) -> None:
    ending = "md" if format is Format.MARKDOWN else "txt"
    golden.compare(f"crosscheck.{ending}", crosscheck_table.render(example(), format))


def test_as_json() -> None:
    found = json.loads(crosscheck_table.render(example(), Format.JSON))
    assert found["tools"][1]["name"] == "wrk"
    assert found["turns"][0]["run"]["answers"] == 1000


def test_every_generator_says_what_it_times() -> None:
    assert set(crosscheck_table.TIMES) == {OURS, *peers.BY_NAME}


def test_real_generators_take_turns(tmp_path: Path) -> None:
    """The origin itself, two turns of a second each."""
    shown = command.hopcost("crosscheck", "hello/one-core/go", "--rounds", "2", "--seconds", "1", "-f", "json")
    assert shown.returncode == 0, shown.stderr
    found = json.loads(shown.stdout)
    ours = found["tools"][0]
    assert (ours["name"], ours["turns"], ours["errors"]) == (OURS, 2, {})
    assert {tool["name"] for tool in found["tools"]} | set(found["left_out"]) == {OURS, *peers.BY_NAME}
    assert all(tool["per_s"] > 0 and tool["stack_ns"] > 0 and tool["generator_ns"] > 0 for tool in found["tools"])


@pytest.mark.parametrize(
    ("arm", "said"),
    [("upload/post/direct", "other generators send GET alone"), ("hello/one-core/none", "has no arm 'none'")],
)
def test_arms_that_cannot_be_crosschecked_are_refused(arm, said) -> None:
    shown = command.hopcost("crosscheck", arm)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert said in shown.stderr
