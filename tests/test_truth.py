"""The pure parts of `make truth`: the replay, what counts, what is missing, how a line is judged. Nothing is run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from golden import FOLDER

from hopcost.errors import MeasurementFailed
from hopcost.record import Ending
from hopcost.report.reported import Report, ReportedArm, ReportedComparison, ReportedExperiment
from hopcost.statistics import Interval
from tools.truth import kept, lines, part, server
from tools.truth import page as truth
from tools.truth.sections import alarms, attribution, precision, sensitivity, slices
from tools.truth.sections.engine import delay, pacing, stall
from tools.truth.sections.engine.section import Engine

ENGINE = lines.Build(version="1", commit="c", behaviour=1)
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
    found_lines = [
        line("a", settings={"rate": 1}),
        line("a", settings={"rate": 1}),  # twice: once is enough
        line("a", 1, settings={"rate": 2}),
        line("b", engine=msgspec.structs.replace(ENGINE, behaviour=2)),
        line("b", engine=msgspec.structs.replace(ENGINE, commit="other")),  # the same behaviour
        line("b", machine=msgspec.structs.replace(HERE, kernel="other")),
        line("b", 1, foreign=0.051),
        line("b", 1, steal=0.021),
        line("b", 2),  # more than are asked for
        line("gone"),
    ]
    found = lines.sort_out(found_lines, cases, ENGINE, HERE)
    assert [(each.case, each.number) for each in found.used] == [("a", 0), ("b", 0)]
    assert found.aside == {
        "of another engine": 1,
        "of another machine": 1,
        "of other settings": 2,
        "beside programs of others": 2,
    }
    assert found.of("part", "b") == [{"a": 1.0}] and found.of("other", "b") == []


def test_a_case_says_how_much_the_hypervisor_may_keep() -> None:
    strict, lenient = case("a"), lines.Case("part", "a", dict, 2, {}, steal_most=0.1)
    kept_some = [line("a", steal=0.099)]
    assert lines.sort_out(kept_some, [strict], ENGINE, HERE).aside == {"beside programs of others": 1}
    assert len(lines.sort_out(kept_some, [lenient], ENGINE, HERE).used) == 1
    assert lines.sort_out([line("a", steal=0.101)], [lenient], ENGINE, HERE).aside == {"beside programs of others": 1}


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
    begun = [line(each.name, number) for each, number in order[:3]]
    assert lines.missing(cases, lines.sort_out(begun, cases, ENGINE, HERE)) == order[3:]
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

    monkeypatch.setattr(kept, "watched", watched)
    monkeypatch.setattr(kept, "wait_for_quiet", lambda: None)
    file = kept.Kept(tmp_path / "kept.jsonl", lambda: [told("a"), told("b")])
    file.measure(at_most_s=-1.0)
    assert ran == [], "no run begins after the time is over"
    file.measure(at_most_s=60.0)
    assert len(ran) == 5 and ran[0] == ran[4], "the disturbed one once more, at the end"
    assert file.done().aside == {"beside programs of others": 1}
    assert sorted(each["a"] for each in file.done().of("part", ran[0][0])) == [0.0, 1.0]
    file.measure(at_most_s=60.0)
    assert len(ran) == 5, "nothing is missing any more"


def test_a_case_whose_answer_is_certain_is_not_measured_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[str] = []

    def told(name: str, decided: Any) -> lines.Case:
        def run(number: int) -> dict[str, float]:
            ran.append(name)
            return {"a": float(number)}

        return lines.Case("part", name, run, 4, {}, decided=decided)

    monkeypatch.setattr(kept, "watched", lambda run: (run(), 0.0, 0.0))
    monkeypatch.setattr(kept, "wait_for_quiet", lambda: None)
    cases = [told("whole", lines.open_to_the_end), told("short", lambda runs: len(runs) == 2)]
    file = kept.Kept(tmp_path / "kept.jsonl", lambda: cases)
    assert file.left() == 8
    file.measure(at_most_s=60.0)
    assert (ran.count("whole"), ran.count("short"), file.left()) == (4, 2, 0)


def test_a_run_that_failed_is_kept_and_done_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[int] = []

    def run(number: int) -> dict[str, float]:
        ran.append(number)
        if len(ran) in failing:
            raise MeasurementFailed("the hypervisor kept 9 % of the time of 2 cores")
        return {"a": float(number)}

    monkeypatch.setattr(kept, "watched", lambda run: (run(), 0.0, 0.0))
    monkeypatch.setattr(kept, "wait_for_quiet", lambda: None)
    file = kept.Kept(tmp_path / "kept.jsonl", lambda: [lines.Case("part", "a", run, 3, {})])
    failing = range(2, 4)
    file.measure(at_most_s=60.0)
    assert ran == [0, 1, 2, 1, 2] and file.done().aside == {"that failed": 2}
    assert [each["a"] for each in file.done().of("part", "a")] == [0.0, 1.0, 2.0]
    ran.clear()
    failing = range(1, 100)
    broken = kept.Kept(tmp_path / "broken.jsonl", lambda: [lines.Case("part", "a", run, 3, {})])
    with pytest.raises(MeasurementFailed, match="5 runs in a row failed, the last one: the hypervisor kept 9 %"):
        broken.measure(at_most_s=60.0)
    assert len(ran) == 5


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
    assert part.Bar([good, good, bad], 3).verdict() == "yes"
    assert part.Bar([good, bad, bad], 3).verdict() == "no"
    assert part.Bar([good, good], 3).verdict() == "unfinished: 2 of 3 runs"
    assert part.Bar([], 3).verdict() == "unfinished: 0 of 3 runs"
    assert part.Bar([good, bad, bad], 3).within() == "1 of 3"


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
                each.name, number, section=each.section, figures=right(each) | (figures if each.name == changed else {})
            )
            for each in Engine().cases()
            for number in range(each.runs)
        ]
        result: tuple[list[str], bool] = Engine().page(lines.Sorted(used, {}))
        return result

    assert page()[1]
    assert not page("uring constant 10000", gap_cv=0.06)[1]
    assert page("bare-loop constant 10000", gap_cv=0.06)[1], "the machine's own line decides nothing"
    assert page("uring constant 50000", gap_cv=0.06)[1], "shown only"


# Whole runs, out of forged reports


def comparison(figure: str, verdict: str, low: float, high: float, **more: Any) -> ReportedComparison:
    ratio = Interval(value=(low + high) / 2, low=low, high=high)
    given = {"figure": figure, "load_per_s": None, "ratio": ratio, "verdict": verdict, "negligible": False, **more}
    return filled_in(ReportedComparison, given)


def filled_in(kind: Any, given: dict[str, Any]) -> Any:
    """The structure with None for what is not given: nothing here reads it."""
    return kind(**{**dict.fromkeys(kind.__struct_fields__), **given})


def report(*arms: list[ReportedComparison], **more: Any) -> ReportedExperiment:
    """One experiment: a baseline, arms with these comparisons, the baseline's second run, which looks awful."""
    awful = [comparison("throughput", "slower", 0.1, 0.2)]
    listed = [("base", []), *((f"same-{n + 1}", each) for n, each in enumerate(arms)), ("base-aa", awful)]
    filled_arms = [filled_in(ReportedArm, {"name": name, "comparisons": each}) for name, each in listed]
    given = {"name": "same", "baseline": "base", "blocks": 6, "arms": filled_arms, **more}
    made: ReportedExperiment = filled_in(ReportedExperiment, given)
    return made


def test_what_is_a_false_alarm() -> None:
    found = alarms.counted(
        report(
            [
                comparison("throughput", "same", 0.99, 1.01),
                comparison("cpu_per_request", "dearer", 1.005, 1.03),
                comparison("cpu_per_request:origin", "dearer", 1.005, 1.03),
                comparison("cpu_per_request", "dearer", 1.03, 1.05, load_per_s=1000.0),
            ],
            [
                comparison("throughput", "slower", 0.985, 0.995, negligible=True),
                comparison("cpu_per_request", "unknown", 0.97, 1.03, ratio=None),
            ],
        )
    )
    assert found == {
        "silent": 0.0,
        "throughput_comparisons": 2,
        "throughput_excludes": 1,
        "throughput_directional": 0,
        "throughput_unknown": 0,
        "throughput_width": pytest.approx(0.01),
        "cpu_per_request_comparisons": 1,
        "cpu_per_request_excludes": 1,
        "cpu_per_request_directional": 1,
        "cpu_per_request_unknown": 1,
        "cpu_per_request_width": pytest.approx(0.0125 / 1.0175),
        "other_comparisons": 2,
        "other_excludes": 2,
        "other_directional": 2,
        "other_unknown": 0,
    }
    assert alarms.directional(found) == 1 and alarms.has_excluded(found, "throughput")
    assert alarms.counted(report([], instrument_is_biased=True))["silent"] == 1.0
    assert alarms.counted(report([], instrument_is_biased=None, no_verdicts="too few blocks"))["silent"] == 1.0


def test_how_many_false_alarms_are_too_many() -> None:
    none = dict.fromkeys(alarms.counted(report([])), 0.0)
    excluding, crying = none | {"throughput_excludes": 2.0}, none | {"cpu_per_request_directional": 1.0}
    assert alarms.verdict("run", [none] * 100, 100) == "yes"
    assert alarms.verdict("run", [none] * 88 + [excluding] * 10 + [crying] * 2, 100) == "yes"
    assert alarms.verdict("run", [none] * 89 + [excluding] * 11, 100) == "no"
    assert alarms.verdict("run", [crying] * 3, 100) == "no", "known before all are done"
    assert alarms.verdict("quick", [none] * 27 + [crying | excluding] * 3, 30) == "yes", "one look has all the error"
    assert alarms.verdict("quick", [none] * 26 + [excluding] * 4, 30) == "no"
    silent = none | {"silent": 1.0}
    assert alarms.verdict("run", [none] * 89 + [silent] * 11, 100) == "no: only 89 runs had verdicts"
    assert alarms.verdict("run", [none] * 99, 100) == "unfinished: 99 of 100 runs"
    assert sum(runs for (form, *_), runs in alarms.KINDS.items() if form == "run") == 100


def filled(section: part.Section, of: Any) -> lines.Sorted:
    """All runs of a section's cases with these figures."""
    return lines.Sorted(
        [
            line(case.name, n, section=section.key, figures=of(case, n))
            for case in section.cases()
            for n in range(case.runs)
        ],
        {},
    )


def test_the_section_of_false_alarms() -> None:
    none = dict.fromkeys([*alarms.counted(report([])), "seconds", "blocks"], 0.0)
    assert alarms.Alarms().page(filled(alarms.Alarms(), lambda case, n: none))[1]
    text, holds = alarms.Alarms().page(
        filled(alarms.Alarms(), lambda case, n: none | {"throughput_excludes": float(n < 3)})
    )
    assert not holds and any(
        each.startswith("| run | together |  | 100 of 100 | 0 | 0 | 12 | 0 | 12 | 0 of 0 | 0 |") for each in text
    )
    text, holds = alarms.Alarms().page(lines.Sorted([], {}))
    assert not holds and "Holds: run: unfinished: 0 of 100 runs; quick: unfinished: 0 of 30 runs." in text


def test_what_is_seen_of_a_dearer_origin() -> None:
    def dearer(verdict: str, **more: object) -> Any:
        made = report([comparison("cpu_per_request", verdict, 1.01, 1.03, **more)])
        arms = [msgspec.structs.replace(arm, name="dearer") if arm.name == "same-1" else arm for arm in made.arms]
        return msgspec.structs.replace(made, arms=arms)

    found = sensitivity.seen(dearer("dearer", negligible=True))
    assert (found["dearer"], found["negligible"], found["ratio"]) == (1.0, 1.0, pytest.approx(1.02))
    assert found["half_width"] == pytest.approx(0.01 / 1.02)
    assert sensitivity.seen(dearer("same"))["dearer"] == 0.0
    assert sensitivity.seen(dearer("dearer", load_per_s=1000.0))["unknown"] == 1.0, "the open loop is another figure"
    assert sensitivity.verdict([{"dearer": 1.0}] * 18 + [{"dearer": 0.0}] * 2) == "yes"
    assert sensitivity.verdict([{"dearer": 0.0}] * 3) == "no"
    assert sensitivity.verdict([{"dearer": 1.0}] * 19) == "unfinished: 19 of 20 runs"


def test_the_work_is_what_was_asked_for() -> None:
    close = [{"truly": 1.02 + 0.001 * (-1) ** n, "dearer": 1.0} for n in range(20)]
    assert sensitivity.is_as_asked("2 %", close) == "yes"
    assert sensitivity.is_as_asked("2 %", [{**each, "truly": each["truly"] + 0.006} for each in close]) == "not shown"
    assert sensitivity.is_as_asked("2 %", close[:19]) == "unfinished: 19 of 20 runs"


def test_sensitivity_waits_for_its_calibration(tmp_path: Path) -> None:
    section = sensitivity.Sensitivity(tmp_path)
    (calibration,) = section.cases()
    for number in range(calibration.runs):
        assert len(section.cases()) == 1
        figures = {"plain_ns": 4000.0, "40_ns": 4072.0, "100_ns": 4200.0}
        made = line(
            calibration.name, number, section=sensitivity.SECTION, figures=figures, settings=calibration.settings
        )
        made = msgspec.structs.replace(made, engine=lines.build(), machine=lines.this_machine())
        lines.append(section.kept.path, made)
    found = {case.name: case for case in section.cases()}
    assert list(found) == [calibration.name, "2 %", "5 %"]
    assert sum(case.runs for case in found.values()) == 50


def test_what_a_round_costs_by_hand() -> None:
    calibrated = line(
        "calibration", section=sensitivity.SECTION, figures={"plain_ns": 4.0, "40_ns": 44.0, "100_ns": 204.0}
    )
    done = lines.Sorted([calibrated], {})
    assert sensitivity.round_ns(done) == pytest.approx((40 * 40 + 100 * 200) / (40**2 + 100**2))
    run = line("2 %", section=sensitivity.SECTION, figures={"plain_ns": 4000.0, "rounds": 50.0, "truly": 1.02})
    done = lines.Sorted([calibrated, run], {})
    assert sensitivity.round_ns(done) == pytest.approx((1600 + 20_000 + 50 * 80) / (40**2 + 100**2 + 50**2))


def test_the_section_of_sensitivity() -> None:
    def of(name: str, n: int) -> dict[str, float]:
        costs = {"rounds": 40, "before_ns": 4000.0, "plain_ns": 4000.0, "truly": 1 + sensitivity.SHARES[name]}
        seen = {"dearer": float(n > 1), "negligible": 0.0, "ratio": 1.02, "half_width": 0.01}
        return {**costs, **seen, "spread": 0.1, "seconds": 60.0, "budget_s": 60.0}

    runs = [
        line(name, n, section=sensitivity.SECTION, figures=of(name, n))
        for name in sensitivity.SHARES
        for n in range(20)
    ]
    text, holds = sensitivity.Sensitivity().page(lines.Sorted(runs, {}))
    assert holds and any(each.startswith("| 5 % | 20 of 20 | 4.00 | 40 | 1.0500 [") for each in text)
    text, holds = sensitivity.Sensitivity().page(lines.Sorted([], {}))
    assert not holds and any("unfinished: 0 of 20 runs" in each for each in text)
    missed = {"dearer": 0.0, "half_width": 0.04, "silent": 0.0, "spread": 0.16}
    runs = [line("2 %", n, section=sensitivity.SECTION, figures=of("2 %", n) | missed) for n in range(3)]
    text, holds = sensitivity.Sensitivity().page(lines.Sorted(runs, {}))
    assert not holds and "| 2 % | 3 of 20 |" in "\n".join(text)
    (why,) = [each for each in text if each.startswith("Why 2 % is missed: of the 3 runs that did not see it 3 gave")]
    assert "±4.0 % at the median" in why and "spread by 16 %" in why


def test_how_wide_long_runs_in_turn_are() -> None:
    passes = [{"go": 100.0, "nginx": 50.0 * math.exp(each)} for each in (0.01, -0.01, 0.01, -0.01)]
    # s = 0.01 × √(4/3), t(3, 0.975) = 3.182
    assert precision.long_runs_width(passes, "nginx", "go") == pytest.approx(3.182 * 0.011547 / math.sqrt(2), rel=1e-3)
    assert precision.long_runs_width(passes[:1], "nginx", "go") is None
    # Of two values: t(1, 0.975) = 12.706, s = 0.01 × √2, so 12.706 × 0.01 on the scale of logarithms.
    assert precision.two_passes_width(passes, "nginx", "go") == pytest.approx(math.sinh(0.12706), rel=1e-3)


def test_narrow_in_time() -> None:
    narrow = {"throughput_width": 0.01, "cpu_per_request_width": 0.009}
    assert precision.is_narrow(narrow) and not precision.is_narrow(narrow | {"throughput_width": 0.011})
    assert not precision.is_narrow(narrow | {"cpu_per_request_width": -1.0}), "no interval is not narrow"
    assert precision.pair_verdict([narrow] * 3 + [narrow | {"throughput_width": 0.02}]) == "yes"
    wide = narrow | {"throughput_width": 0.02}
    assert precision.pair_verdict([narrow] * 2 + [wide] * 2) == "no"
    assert precision.pair_verdict([narrow] * 3) == "yes" and precision.pair_verdict([wide] * 2) == "no"
    assert precision.pair_verdict([narrow] * 2 + [wide]).startswith("unfinished: 3 of 4")
    ending = Ending(experiment="same", why="precision", detail="")
    found = precision.widths(report([comparison("throughput", "same", 0.99, 1.01)], ending=ending), "same-1")
    assert found["stopped_on_precision"] == 1.0 and found["cpu_per_request_width"] == -1.0
    assert found["throughput_width"] == pytest.approx(0.01)


def test_five_arms_beside_long_runs() -> None:
    def of(case: Any, n: int) -> dict[str, float]:
        if case.name == "five arms":
            return {"nginx": 0.01, "slow": 0.03, "seconds": 230.0}
        if case.name == "one after another":
            return {"slow": 10 * math.exp(0.02 * (-1) ** n), "go": 100.0, "nginx": 50 * math.exp(0.02 * (-1) ** n)}
        narrow = {"throughput_width": 0.01, "cpu_per_request_width": 0.009, "spread": 0.05, "predicted_s": 40.0}
        return narrow | {"allowed_s": 60.0, "seconds": 50.0, "blocks": 6.0}

    text, holds = precision.Precision().page(filled(precision.Precision(), of))
    rows = {each.split(" | ")[0][2:]: each.split(" | ")[-1] for each in text if each.startswith("| ")}
    assert rows["nginx"] == "yes |" and rows["slow"] == "no |" and not holds
    assert "throughput to go" in "\n".join(text)

    def all_narrow(case: Any, n: int) -> dict[str, float]:
        return of(case, n) | ({"slow": 0.01} if case.name == "five arms" else {})

    assert precision.Precision().page(filled(precision.Precision(), all_narrow))[1]


def test_pairs_run_by_run() -> None:
    run = {"spread": 0.05, "allowed_s": 60.0, "seconds": 50.0, "blocks": 6.0, "predicted_s": 40.0}
    narrow = run | {"throughput_width": 0.01, "cpu_per_request_width": 0.009}
    none = run | {"throughput_width": 0.02, "cpu_per_request_width": -1.0, "predicted_s": precision.NEVER_S}
    (good, bad), kept = precision.PAIRS, []
    for number in range(3):
        kept += [
            line(name, number, section=precision.SECTION, figures=figures)
            for name, figures in ((good, narrow), (bad, none))
        ]
    text = precision.Precision().page(lines.Sorted(kept, {}))[0]
    assert f"| {good} | 3 | 5.0 % | 40 | 60 | 50 | 6 | 1.00 % | 0.90 % | yes |" in text
    assert f"| {bad} | 1 | 5.0 % | never | 60 | 50 | 6 | 2.00 % | – | no |" in text
    assert f"Holds: {good}: yes; {bad}: no." in text
    text, holds = precision.Precision().page(lines.Sorted([], {}))
    assert not holds and f"Holds: {good}: unfinished: 0 of 4 runs; {bad}: unfinished: 0 of 4 runs." in text


def test_cpu_time_adds_up_by_hand() -> None:
    before = attribution.Reading(1.0, 1.0, 0.5, 0.2, 0.1, {1: 1.0, 2: 5.0}, 0.0)
    after = attribution.Reading(11.0, 9.0, 6.5, 3.2, 0.2, {1: 1.5, 3: 9.0}, 0.1)
    found = attribution.parts(before, after)
    assert found["busy_s"] == 10.0 and found["others_s"] == 0.5, "2 has ended, 3 has begun"
    assert found["sum_of_busy"] == pytest.approx((6.0 + 3.0 + 0.1 + 0.5 + 0.1) / 10)
    assert found["sum_of_ticks"] == pytest.approx((6.0 + 3.0 + 0.1 + 0.5 + 0.1) / 8)
    assert attribution.miss({"sum_of_ticks": 0.97}, "all-cores") == pytest.approx(1.0)
    assert attribution.miss({"sum_of_ticks": 0.97}, "one-core") == pytest.approx(1.5)
    right = dict.fromkeys(("hops_s", "generator_s", "harness_s", "others_s", "busy_s", "ticks_s"), 1.0)
    right |= {"sum_of_busy": 0.9, "sum_of_ticks": 1.025}
    text, holds = attribution.Attribution().page(filled(attribution.Attribution(), lambda case, n: right))
    assert not holds and [each.split(" | ")[-1] for each in text if "(one-core)" in each or "(all-cores)" in each][
        1:
    ] == ["no |", "yes |"]


def test_slices_beside_plain_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(case: Any, n: int) -> dict[str, float]:
        bias = 1.1 if "5000" in case.name else 1.0
        ways = {"sliced": 0.5 * bias, "alone": 0.5, "sliced_cpu": 2.0, "alone_cpu": 2.0}
        return {f"{way} nginx": value * (1 + 0.001 * (way == "sliced") * (-1) ** n) for way, value in ways.items()}

    text, holds = slices.Slices().page(filled(slices.Slices(), of))
    words = [each.split(" | ")[-1] for each in text if "| nginx |" in each]
    assert words == ["yes |", "yes |", "no |", "yes |", "yes |"] and not holds
    assert slices.Slices().page(filled(slices.Slices(), lambda case, n: of(slices.Slices().cases()[0], n)))[1]
    text, holds = slices.Slices().page(lines.Sorted([], {"of another engine": 2}))
    assert not holds and sum("| unfinished |" in each for each in text) == 5


def test_the_whole_page(tmp_path: Path) -> None:
    text, holds = truth.page(tmp_path)
    assert not holds
    for name, section in truth.SECTIONS.items():
        assert f"| {name} | 0 of {section(tmp_path).kept.left()} done | unfinished |" in text
    assert "| sensitivity | 0 of 50 done |" in text, "with what still waits for the calibration"
    assert text.count("\n# ") == 0 and text.count("\n## ") == len(truth.SECTIONS)


def test_the_report_of_a_run_can_be_read() -> None:
    report = msgspec.json.decode((FOLDER / "report.json").read_bytes(), type=Report)
    assert report.experiments[0].arms
