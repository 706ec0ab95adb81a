"""The sections of `make truth` on whole runs, out of forged reports. Nothing is run."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from golden import FOLDER
from places import ROOT
from samples.truth import comparison, filled, line, report

from hopcost.errors import MeasurementFailed
from hopcost.record import reader
from hopcost.record.contents.run import Ending, StopReason
from hopcost.report.formats.json_schema import Report
from hopcost.statistics.verdict import Size
from tools.truth import lines
from tools.truth.form import Form
from tools.truth.sections.agreement import beside_wrk, precision, slices
from tools.truth.sections.same import alarms


def test_what_is_a_false_alarm() -> None:
    figures = alarms.counted(
        report(
            [
                comparison("throughput", "same", 0.99, 1.01),
                comparison("cpu_per_request", "dearer", 1.005, 1.03),
                comparison("cpu_per_request:origin", "dearer", 1.005, 1.03),
                comparison("cpu_per_request", "dearer", 1.03, 1.05, load_per_s=1000.0),
            ],
            [
                comparison("throughput", "slower", 0.985, 0.995, size=Size.NEGLIGIBLE),
                comparison("cpu_per_request", "not settled", 0.97, 1.03, ratio=None),
            ],
        )
    )
    assert figures == {
        "silent": 0.0,
        "throughput_comparisons": 2,
        "throughput_excludes": 1,
        "throughput_directional": 0,
        "throughput_unsettled": 0,
        "throughput_width": pytest.approx(0.01),
        "throughput_directions": 1,
        "throughput_present": 2,
        "throughput_resolved": 2,
        "cpu_per_request_comparisons": 1,
        "cpu_per_request_excludes": 1,
        "cpu_per_request_directional": 1,
        "cpu_per_request_unsettled": 1,
        "cpu_per_request_width": pytest.approx(0.0125 / 1.0175),
        "cpu_per_request_directions": 1,
        "cpu_per_request_present": 2,
        "cpu_per_request_resolved": 1,
        "other_comparisons": 2,
        "other_excludes": 2,
        "other_directional": 2,
        "other_unsettled": 0,
    }
    assert alarms.directional(figures) == 1 and alarms.has_excluded(figures, "throughput")
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


def test_the_section_of_false_alarms() -> None:
    none = dict.fromkeys([*alarms.counted(report([])), "seconds", "blocks"], 0.0)
    assert alarms.Alarms().page(filled(alarms.Alarms(), lambda case, n: none))[1]
    text, holds = alarms.Alarms().page(
        filled(alarms.Alarms(), lambda case, n: none | {"throughput_excludes": float(n < 3)})
    )
    assert not holds and any(
        row.startswith("| run | together |  | 100 of 100 | 0 | 0 | 12 | 0 | 12 | 0 of 0 | 0 |") for row in text
    )
    text, holds = alarms.Alarms().page(lines.Sorted([], {}))
    assert not holds and "Holds: run: unfinished: 0 of 100 runs; quick: unfinished: 0 of 30 runs." in text


def test_how_wide_long_runs_of_wrk_are() -> None:
    passes = [{"go": 100.0, "nginx": 50.0 * math.exp(log)} for log in (0.01, -0.01, 0.01, -0.01)]
    spread = beside_wrk.deviation(passes, "nginx", "go")
    assert spread is not None and spread == pytest.approx(0.01 * math.sqrt(4 / 3))
    assert beside_wrk.deviation(passes[:1], "nginx", "go") is None
    assert beside_wrk.width_of_two(spread, 4) == pytest.approx(3.182 * spread / math.sqrt(2), rel=1e-3), "t(3, 0.975)"
    # t(4, 0.975) = 2.776 over the root of five, t(3, 0.975) = 3.182 over the root of four.
    assert [beside_wrk.passes_for(factor * spread, spread) for factor in (1.25, 1.24)] == [5, 6]
    assert beside_wrk.passes_for(1.6 * spread, spread) == 4


def test_an_arm_without_an_interval_is_no_width() -> None:
    content = reader.read_record(ROOT / "docs" / "samples" / "nginx-go")
    widths = beside_wrk.widths_of(content.plan.experiments[0], content.blocks)
    assert widths and all(0 < width < 1 for width in widths.values())
    with pytest.raises(MeasurementFailed, match="no interval"):
        beside_wrk.widths_of(content.plan.experiments[0], [])


def test_slices_hold_beside_wrk_if_half_as_wide() -> None:
    section = beside_wrk.BesideWrk()

    def page(width: float, *, passes: int = 4) -> tuple[list[str], bool]:
        def of(case: lines.Case, number: int) -> lines.Figures:
            arms = list(beside_wrk.SETS[case.name.split()[0]])[1:]
            if case.name.endswith("by slices"):
                return dict.fromkeys(arms, width)
            return {"go": 100.0, **dict.fromkeys(arms, 50.0 + number % 2)}

        done = filled(section, of)
        return section.page(lines.Sorted([line for line in done.used if line.number < passes], {}))

    # The ratios are 0.50 and 0.51 in turns: their logarithms' deviation is 0.0114, so two passes are ±2.57 % wide.
    text, holds = page(0.0128)
    assert holds and "| nginx-go | nginx-http-tcp | 1.3 % | 2.6 % | 0.50 | 15 | yes |" in text
    text, holds = page(0.0130)
    assert not holds and "| proxies | varnish | 1.3 % | 2.6 % | 0.51 | 18 | no |" in text
    text, holds = page(0.0128, passes=3)
    assert not holds and "| proxies | caddy |  |  |  |  | unfinished: 5 of 6 runs |" in text


def test_narrow_in_time() -> None:
    narrow = {"throughput_width": 0.01, "cpu_per_request_width": 0.009}
    assert precision.is_narrow(narrow) and not precision.is_narrow(narrow | {"throughput_width": 0.011})
    assert not precision.is_narrow(narrow | {"cpu_per_request_width": -1.0}), "no interval is not narrow"
    assert precision.pair_verdict([narrow] * 3 + [narrow | {"throughput_width": 0.02}]) == "yes"
    wide = narrow | {"throughput_width": 0.02}
    assert precision.pair_verdict([narrow] * 2 + [wide] * 2) == "no"
    assert precision.pair_verdict([narrow] * 3) == "yes" and precision.pair_verdict([wide] * 2) == "no"
    assert precision.pair_verdict([narrow] * 2 + [wide]).startswith("unfinished: 3 of 4")
    ending = Ending(experiment="same", why=StopReason.PRECISION, detail="")
    figures = precision.widths(report([comparison("throughput", "same", 0.99, 1.01)], ending=ending), "same-1")
    assert figures["stopped_on_precision"] == 1.0 and figures["cpu_per_request_width"] == -1.0
    assert figures["throughput_width"] == pytest.approx(0.01)


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
    assert f"| {good} | 3 | 5.0 % | 40 | 60 | 50 | 6 | 0.89 % | 1.00 % | 0.90 % | yes |" in text
    assert f"| {bad} | 1 | 5.0 % | never | 60 | 50 | 6 | – | 2.00 % | – | no |" in text
    assert f"Holds: {good}: yes; {bad}: no." in text
    assert precision.Precision().page(filled(precision.Precision(), lambda *_: narrow))[1]
    text, holds = precision.Precision().page(lines.Sorted([], {}))
    assert not holds and f"Holds: {good}: unfinished: 0 of 4 runs; {bad}: unfinished: 0 of 4 runs." in text


def test_slices_beside_plain_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(case: Any, n: int) -> dict[str, float]:
        bias = 1.1 if "5000" in case.name else 1.0
        ways = {"sliced": 0.5 * bias, "alone": 0.5, "sliced_cpu": 2.0, "alone_cpu": 2.0}
        return {f"{way} nginx": value * (1 + 0.001 * (way == "sliced") * (-1) ** n) for way, value in ways.items()}

    text, holds = slices.Slices().page(filled(slices.Slices(), of))
    words = [row.split(" | ")[-1] for row in text if "| nginx |" in row]
    assert words == ["yes |", "yes |", "no |", "yes |", "yes |", "yes |", "yes |"] and not holds
    together = next(row for row in text if row.startswith("| all cases |"))
    assert " | 1.014 [" in together and "70 of 70" in together, "one case of seven is 10 % off: 1.1 to the power of 1/7"
    assert slices.Slices().page(filled(slices.Slices(), lambda case, n: of(slices.Slices().cases()[0], n)))[1]
    text, holds = slices.Slices().page(lines.Sorted([], {"of another engine": 2}))
    assert not holds and sum("| unfinished |" in row for row in text) == 8, "seven cases, and all together"
    short = slices.Slices(form=Form.SHORT)
    assert [(case.name, case.runs) for case in short.cases()] == [
        ("over a Unix socket alone, 64 connections", 8),
        ("over a Unix socket alone, 1000 connections", 8),
    ]
    assert short.page(filled(short, of))[1]


def test_the_arms_of_a_repeat_count_once() -> None:
    run = {"sliced one": 0.4, "sliced two": 0.1, "alone one": 0.9, "alone two": 0.4}
    run |= {"sliced_cpu one": 2.0, "sliced_cpu two": 8.0, "alone_cpu one": 1.0, "alone_cpu two": 1.0}
    assert slices.arm_names([run]) == ["one", "two"] and slices.arm_names([]) == []
    assert slices.over_arms(run, ["one", "two"]) == pytest.approx(
        {"sliced all": 0.2, "alone all": 0.6, "sliced_cpu all": 4.0, "alone_cpu all": 1.0}
    )


def test_the_report_of_a_run_can_be_read() -> None:
    report = msgspec.json.decode((FOLDER / "report" / "report.json").read_bytes(), type=Report)
    assert report.experiments[0].arms
