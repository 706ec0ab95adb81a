"""The pure parts of `make truth`: the replay, what counts, what is missing, how a line is judged. Nothing is run."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
lines: Any = importlib.import_module("truth_lines")
server: Any = importlib.import_module("truth_server")
stall: Any = importlib.import_module("truth_stall")
delay: Any = importlib.import_module("truth_delay")
pacing: Any = importlib.import_module("truth_pacing")
truth_engine: Any = importlib.import_module("truth_engine")
slices: Any = importlib.import_module("truth_slices")

ENGINE = lines.Build(version="1", commit="c", sources="s")
HERE = lines.Machine(cpu="x", kernel="k", cores=2)


def case(name: str, runs: int = 2, **settings: object) -> Any:
    return lines.Case("part", name, dict, runs, settings)


def line(name: str, number: int = 0, **changed: object) -> Any:
    made = lines.Line("part", name, number, {"a": 1.0}, 0.0, 0.0, ENGINE, HERE, {}, "2026-01-01T00:00:00+00:00")
    return msgspec.structs.replace(made, **changed)


def test_a_replay_of_a_stall_by_hand() -> None:
    # 1,000/s, due at 0, 1, 2, 3 ms; the origin stands still from 0.5 to 3.5 ms and then answers everything.
    arrived = np.array([0.1e6, 3.5e6, 3.5e6, 3.6e6])
    sent = np.array([0.2e6, 3.7e6, 3.6e6, 3.8e6])
    # The first was on time 0.1 ms before it arrived, or later; nothing here can say so.
    assert stall.replay(arrived, sent, 1000).tolist() == pytest.approx([0.1e6, 0.7e6, 1.6e6, 2.5e6])
    shuffled = stall.replay(arrived[[2, 0, 3, 1]], sent[[3, 1, 0, 2]], 1000)
    assert shuffled.tolist() == pytest.approx([0.1e6, 0.7e6, 1.6e6, 2.5e6])


def test_a_late_first_request_does_not_shift_the_replay() -> None:
    on_time = np.arange(100) * 1e6
    late = on_time.copy()
    late[0] += 0.9e6
    assert stall.replay(late, late + 10, 1000)[-1] == pytest.approx(0.9e6 + 10)


def test_the_p99_of_the_stall_follows_from_its_numbers() -> None:
    waits = np.concatenate([np.zeros(8000), 2.0 - np.arange(4000) / 2000])
    assert server.quantile(waits, 0.99) == pytest.approx(stall.P99_S, abs=0.001)


def test_only_the_rows_of_the_measured_load_count() -> None:
    rows = np.zeros(5, dtype=server.ROW)
    rows["f0"] = [1, 2, 3, 4, 5]
    assert server.measured(rows, {"answers": 3})["f0"].tolist() == [3, 4, 5]
    with pytest.raises(Exception, match="6 answers, of which the origin knows 5"):
        server.measured(rows, {"answers": 6})


def test_lines_that_are_not_alike_are_set_aside_and_counted() -> None:
    cases = [case("a", rate=1), case("b")]
    kept = [
        line("a", settings={"rate": 1}),
        line("a", settings={"rate": 1}),  # twice: once is enough
        line("a", 1, settings={"rate": 2}),
        line("b", engine=msgspec.structs.replace(ENGINE, sources="other")),
        line("b", engine=msgspec.structs.replace(ENGINE, commit="other")),  # the same sources
        line("b", machine=msgspec.structs.replace(HERE, kernel="other")),
        line("b", 1, foreign=0.021),
        line("b", 1, steal=0.021),
        line("b", 2),  # more than are asked for
        line("gone"),
    ]
    found = lines.sort_out(kept, cases, ENGINE, HERE)
    assert [(each.case, each.number) for each in found.used] == [("a", 0), ("b", 0)]
    assert found.aside == {
        "of another engine": 1,
        "of another machine": 1,
        "of other settings": 2,
        "beside programs of others": 2,
    }
    assert found.of("part", "b") == [{"a": 1.0}] and found.of("other", "b") == []


def test_a_killed_run_goes_on_where_it_was() -> None:
    cases = [case("a"), case("b", runs=3), case("c")]
    nothing = lines.Sorted([], {})
    order = lines.missing(cases, nothing)
    assert sorted((each.name, number) for each, number in order) == [
        *(("a", 0), ("a", 1)),
        *(("b", 0), ("b", 1), ("b", 2)),
        *(("c", 0), ("c", 1)),
    ]
    assert [number for _, number in order] == [0, 0, 0, 1, 1, 1, 2], "run by run"
    assert lines.missing(cases, nothing) == order, "the same order each time"
    kept = [line(each.name, number) for each, number in order[:3]]
    assert lines.missing(cases, lines.sort_out(kept, cases, ENGINE, HERE)) == order[3:]
    places = {tuple(each.name for each, _ in lines.missing([case(n, 40) for n in "abc"], nothing)[i : i + 3])
              for i in range(0, 120, 3)}  # fmt: skip
    assert len(places) == 6, "every order of three occurs"


def test_a_disturbed_run_is_kept_and_done_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[tuple[str, int]] = []

    def told(name: str) -> Any:
        def run(number: int) -> dict[str, float]:
            ran.append((name, number))
            return {"a": float(number)}

        return lines.Case("part", name, run, 2, {})

    def watched(run: Any) -> tuple[dict[str, float], float, float]:
        return run(), 0.5 if len(ran) == 1 else 0.0, 0.0  # programs of others beside the first one

    monkeypatch.setattr(truth_engine, "KEPT", tmp_path / "kept.jsonl")
    monkeypatch.setattr(truth_engine, "cases", lambda: [told("a"), told("b")])
    monkeypatch.setattr(truth_engine, "watched", watched)
    monkeypatch.setattr(truth_engine, "wait_for_quiet", lambda: None)
    truth_engine.measure(at_most_s=-1.0)
    assert ran == [], "no run begins after the time is over"
    truth_engine.measure(at_most_s=60.0)
    assert len(ran) == 5 and ran[0] == ran[4], "the disturbed one once more, at the end"
    assert truth_engine.done().aside == {"beside programs of others": 1}
    assert sorted(each["a"] for each in truth_engine.done().of("part", ran[0][0])) == [0.0, 1.0]
    truth_engine.measure(at_most_s=60.0)
    assert len(ran) == 5, "nothing is missing any more"


def test_a_torn_line_spoils_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "kept.jsonl"
    assert lines.read(path, lines.Line) == []
    lines.append(path, line("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    lines.append(path, line("b", 1))
    assert lines.read(path, lines.Line) == [line("a"), line("b", 1)]


def test_a_line_is_judged_by_the_median_of_each_bar() -> None:
    good, bad = [0.9, 1.0], [0.1, 1.1]
    assert lines.Bar([good, good, bad], 3).verdict() == "yes"
    assert lines.Bar([good, bad, bad], 3).verdict() == "no"
    assert lines.Bar([good, good], 3).verdict() == "unfinished: 2 of 3 runs"
    assert lines.Bar([], 3).verdict() == "unfinished: 0 of 3 runs"
    assert lines.Bar([good, bad, bad], 3).within() == "1 of 3"


def test_misses_by_hand() -> None:
    stalled = {"p99_ns": 1.94e9 * 1.02, "p90_ns": 99.0, "replay_p90_ns": 100.0, "mean_ns": 103.0, "replay_mean_ns": 100}
    assert stall.misses(stalled) == pytest.approx([1.0, 1.5, 0.5])
    # 1 % of 20 ms is more than 30 µs, of 1 ms less.
    assert delay.miss({"origin_p50_ns": 20e6, "difference_p50_ns": -100e3}, "p50") == pytest.approx(0.5)
    assert delay.miss({"origin_p50_ns": 1e6, "difference_p50_ns": 60e3}, "p50") == pytest.approx(2.0)
    assert pacing.misses({"gap_cv": 0.05, "lag_p99_ns": 50e3}, "constant") == pytest.approx([1.0, 0.5])
    assert pacing.misses({"gap_cv": 0.9, "lag_p99_ns": 50e3}, "poisson") == pytest.approx([2.0, 0.5])


def test_gaps_and_bursts_by_hand() -> None:
    assert pacing.variation(np.array([0.0, 1, 4])) == pytest.approx(0.5)  # gaps 1 and 3
    times = np.array([0, 0.5, 1.0, 1.9, 2.0, 2.1, 2.9, 3.0]) * 1e6
    assert pacing.per_ms(times) == {"per_ms_mean": 2.5, "per_ms_deviation": 0.5}


def test_the_scripted_quantiles_are_those_of_the_distribution() -> None:
    assert delay.scripted_ns(0.5) == pytest.approx(20e6)
    assert delay.scripted_ns(0.8413447460685429) == pytest.approx(20e6 * math.exp(0.4))


def test_the_page_of_nothing_is_unfinished_and_of_runs_that_are_right_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truth_engine, "done", lambda: lines.Sorted([], {"of another engine": 3}))
    text, holds = truth_engine.lines()
    assert not holds and "Set aside: 3 runs of another engine." in text and ": 0 of 12 runs" in "\n".join(text)

    def right(of: Any) -> dict[str, float]:
        if of.section == "stall":
            names = ("mean_ns", "p90_ns", "p99_ns", "replay_mean_ns", "replay_p90_ns", "replay_p99_ns")
            return dict.fromkeys(names, 1.94e9)
        if of.section == "delay":
            figures = {f"{which}{name}_ns": 1e6 for which in ("", "origin_") for name in delay.QUANTILES}
            return figures | {f"difference_{name}_ns": 0.0 for name in delay.QUANTILES} | {"origin_busy": 0.1}
        names = ("arrival_gap_cv", "lag_p50_ns", "lag_p99_ns", "cpu_share", "spin_share", "per_ms_mean")
        figures = dict.fromkeys((*names, "per_ms_deviation"), 0.0)
        return figures | {"gap_cv": float("poisson" in of.name)}

    def page(changed: str = "", **figures: float) -> tuple[list[str], bool]:
        used = [
            line(
                each.name, number, section=each.section, figures=right(each) | (figures if each.name == changed else {})
            )
            for each in truth_engine.cases()
            for number in range(each.runs)
        ]
        monkeypatch.setattr(truth_engine, "done", lambda: lines.Sorted(used, {}))
        result: tuple[list[str], bool] = truth_engine.lines()
        return result

    assert page()[1]
    assert not page("uring constant 10000", gap_cv=0.06)[1]
    assert page("bare-loop constant 10000", gap_cv=0.06)[1], "the machine's own line decides nothing"
    assert page("uring constant 50000", gap_cv=0.06)[1], "shown only"


def test_older_repeats_of_slices_are_marked_and_give_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(slices, "KEPT", tmp_path / "slices.jsonl")
    name = slices.cases()[0].name
    for number in range(8):
        older = slices.Repeat(case=name, number=number, sliced={"arm": 0.5}, alone={"arm": 0.5})
        lines.append(slices.KEPT, older)
    text, holds = slices.lines(8, 1.5)
    assert any("8 of 8, older engine | yes" in each for each in text) and not holds
    own = msgspec.structs.replace(older, engine=lines.build(), machine=lines.this_machine())
    lines.append(slices.KEPT, own)
    text, _ = slices.lines(8, 1.5)
    assert any("1 of 8 | undecided" in each for each in text) and "Set aside: 8 repeats" in "\n".join(text)
