"""The engine's part of `make truth`: stalls, delays and pacing, by hand. Nothing is run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from samples.truth import line

from tools.truth import lines, server
from tools.truth.sections.engine import delay, pacing, stall
from tools.truth.sections.engine.section import Engine


def test_a_replay_of_a_stall_by_hand() -> None:
    # 1,000/s, due at 0, 1, 2, 3 ms; the origin stands still from 0.5 to 3.5 ms and then answers everything.
    arrived = np.array([0.1e6, 3.5e6, 3.5e6, 3.6e6])
    sent = np.array([0.2e6, 3.7e6, 3.6e6, 3.8e6])
    # The first was on time 0.1 ms before it arrived, or later; nothing here can say so.
    assert stall.replay(arrived, sent, 1000).tolist() == pytest.approx([0.1e6, 0.7e6, 1.6e6, 2.5e6])
    shuffled = stall.replay(arrived[[2, 0, 3, 1]], sent[[3, 1, 0, 2]], 1000)
    assert shuffled.tolist() == pytest.approx([0.1e6, 0.7e6, 1.6e6, 2.5e6])


def test_a_late_first_request_does_not_shift_the_replay() -> None:
    on_time = np.arange(0, 100e6, 1e6)
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


def test_the_page_of_nothing_is_unfinished_and_of_runs_that_are_right_holds() -> None:
    text, holds = Engine().page(lines.Sorted([], {"of another engine": 3}))
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
                case.name, number, section=case.section, figures=right(case) | (figures if case.name == changed else {})
            )
            for case in Engine().cases()
            for number in range(case.runs)
        ]
        result: tuple[list[str], bool] = Engine().page(lines.Sorted(used, {}))
        return result

    assert page()[1]
    assert not page("uring constant 10000", gap_cv=0.06)[1]
    assert page("bare-loop constant 10000", gap_cv=0.06)[1], "the machine's own line decides nothing"
    assert page("uring constant 50000", gap_cv=0.06)[1], "shown only"
