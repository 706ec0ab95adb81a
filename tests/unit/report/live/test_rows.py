"""Rows of the figures so far: ranges, points, failures, and what goes on a narrow terminal."""

from __future__ import annotations

import msgspec
from samples.records import plan_of

from hopcost.plan.plan import PlannedArm, PlannedExperiment
from hopcost.report.formats.text.bar_rows import bar_rows
from hopcost.report.live.rows import rows_of
from hopcost.statistics.intervals import ONE, Interval
from hopcost.statistics.precision.stop import ArmSoFar

US = 1000  # ns
FIGURES = {
    "go": (ONE, None),
    "nginx-http-unix": (Interval(value=0.53, low=0.47, high=0.6), 14 * US),
    "nginx-http-tcp": (Interval(value=0.47, low=0.41, high=0.54), 17 * US),
    "nginx-fastcgi-unix": (Interval(value=0.24, low=0.19, high=0.31), 47 * US),
    "nginx-fastcgi-tcp": (Interval(value=0.18, low=0.14, high=0.24), 70 * US),
    "go-aa": (Interval(value=0.99, low=0.94, high=1.04), 0),
}


def experiment() -> PlannedExperiment:
    planned = plan_of().experiments[0]
    arms = [
        PlannedArm(name=name, arm=planned.arms[0].arm, copy_of="go" if name == "go-aa" else None) for name in FIGURES
    ]
    return msgspec.structs.replace(planned, baseline="go", arms=arms)


def arms(starts: int = 2) -> list[ArmSoFar]:
    return [
        ArmSoFar(name, starts, ratio, None if ns is None else Interval(value=ns, low=ns - US, high=ns + US), 0)
        for name, (ratio, ns) in FIGURES.items()
    ]


def shown(so_far: list[ArmSoFar], width: int) -> list[str]:
    lines = bar_rows(rows_of(experiment(), so_far, width), width - 2)
    assert max(map(len, lines)) <= width - 2
    return lines


def test_on_80_columns() -> None:
    assert shown(arms(), 80) == [
        "                                     of go           CPU at full load",
        "go                  ███████████████  100 %",
        "nginx-http-unix     ███████▒▒         53 % (47–60)             +14 µs",
        "nginx-http-tcp      ██████▒▒          47 % (41–54)             +17 µs",
        "nginx-fastcgi-unix  ███▒▒             24 % (19–31)             +47 µs",
        "nginx-fastcgi-tcp   ██▒▒              18 % (14–24)             +70 µs",
        "go again            ██████████████▒   99 % (94–104)       (the noise)",
    ]


def test_the_cpu_column_goes_first_and_then_the_bars() -> None:
    assert shown(arms(), 60)[1:3] == [
        "go                  ███████████████  100 %",
        "nginx-http-unix     ███████▒▒         53 % (47–60)",
    ]
    assert shown(arms(), 40)[:3] == [
        "                    of go",
        "go                  100 %",
        "nginx-http-unix      53 % (47–60)",
    ]


def test_one_start_is_a_point_without_a_range() -> None:
    assert shown(arms(starts=1), 80)[2:4] == [
        "nginx-http-unix     ████████          53 %             +14 µs",
        "nginx-http-tcp      ███████           47 %             +17 µs",
    ]


def test_before_the_first_start_there_are_names_alone() -> None:
    nothing = [ArmSoFar(name, 0, None, None, 0) for name in FIGURES]
    lines = shown(nothing, 80)
    assert [line.split() for line in lines[1:3]] == [["go", "–"], ["nginx-http-unix", "–"]]


def test_errors_get_a_column_only_if_there_are_any_and_a_failed_arm_has_no_figure() -> None:
    with_errors = [
        msgspec.structs.replace(arm, errors=1203 * (arm.name == "nginx-http-tcp"), has_failed="unix" in arm.name)
        for arm in arms()
    ]
    header, _, unix, tcp, *_ = shown(with_errors, 80)
    assert header.endswith("errors") and tcp.endswith("+17 µs   1,203")
    assert unix.split() == ["nginx-http-unix", "failed", "0"]


def test_a_faster_arm_sets_the_length_of_bars_and_an_endless_range_does_not() -> None:
    faster = [
        msgspec.structs.replace(arm, ratio=Interval(value=1.6, low=1.5, high=1e9)) if "tcp" in arm.name else arm
        for arm in arms()
    ]
    rows = rows_of(experiment(), faster, 80).rows
    assert {row.bar.most for row in rows if row.bar is not None} == {3 * 1.6}
