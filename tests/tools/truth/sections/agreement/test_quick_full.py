"""Quick runs beside full ones: how suites are cut down, and how a row is judged. Nothing is run."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from samples.truth import comparison, filled, report

from hopcost.errors import MeasurementFailed
from hopcost.suites import read
from hopcost.suites.read import shipped_suites
from tools.truth import lines, plans
from tools.truth.form import Form
from tools.truth.sections.agreement import quick_full


def pair(quick: float, half: float) -> dict[str, float]:
    return {"quick": quick, "full": 0.5, "quick_log_half": half, "full_log_half": half}


def test_every_shipped_suite_has_an_arm() -> None:
    assert sorted(quick_full.PICKS) == sorted(shipped_suites())


@pytest.mark.parametrize("name", quick_full.PICKS)
def test_a_suite_is_cut_down_to_two_arms(name: str, tmp_path: Path) -> None:
    pick, path = quick_full.PICKS[name], tmp_path / "pair.toml"
    path.write_text(quick_full.suite(name), encoding="utf-8")
    cut, whole = read.read_suite(str(path)), read.read_suite(name)
    (experiment,) = cut.experiments
    original = whole.experiment(pick.experiment)
    assert experiment.arms == [original.baseline, pick.arm] == list(cut.arms)
    assert all(cut.arms[arm] == whole.arms[arm] for arm in experiment.arms)
    assert experiment.placement == original.placement
    assert experiment.sweep is None and not experiment.open_loop
    assert (original.sweep is None) == (pick.value is None)
    assert original.sweep is None or pick.value in original.sweep.values


def test_the_point_of_a_sweep_is_set() -> None:
    assert tomllib.loads(quick_full.suite("static"))["experiments"][0]["workload"]["target"] == "/files/1k"
    assert tomllib.loads(quick_full.suite("work"))["experiments"][0]["settings"]["origin"]["work_us"] == 50


def test_values_as_toml() -> None:
    value = {"a b": {"list": [1, 0.5, True, 'a "word"'], "nested": [{"x": "ä\n"}]}}
    assert tomllib.loads(f"value = {plans.toml(value)}")["value"] == value


def test_the_quotient_by_hand() -> None:
    runs = [pair(0.5 * math.exp(0.02), 0.03), pair(0.5 * math.exp(-0.01), 0.04)]
    interval = quick_full.quotient(runs)
    assert interval is not None and interval.low is not None and interval.high is not None
    half = math.sqrt(2 * 0.03**2 + 2 * 0.04**2) / 2
    assert [math.log(end) for end in (interval.value, interval.low, interval.high)] == pytest.approx(
        [0.005, 0.005 - half, 0.005 + half]
    )
    assert quick_full.quotient([]) is None


def test_both_forms_are_run_and_their_widths_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, tuple[object, ...]]] = []

    def run_suite(content: str, seconds: float, _read: Any, *options: object, keep: str) -> Any:
        ran.append((keep, options))
        low, high = (0.50, 0.52) if "--quick" in options else (0.49, 0.51)
        forged = report([comparison("throughput", "slower", low, high)])
        arms = [renamed(arm) for arm in forged.arms]
        return msgspec.structs.replace(forged, arms=arms, blocks=7), seconds, None

    def renamed(arm: Any) -> Any:
        return msgspec.structs.replace(arm, name="fasthttp") if arm.name == "same-1" else arm

    monkeypatch.setattr(quick_full, "run_suite", run_suite)
    figures = quick_full.run("hello", 3)
    assert figures["quick"] / figures["full"] == pytest.approx(0.51 / 0.50)
    assert figures["quick_log_half"] == pytest.approx(math.log(0.52 / 0.50) / 2) and figures["full_blocks"] == 7
    assert sorted(keep for keep, _ in ran) == ["quick-full-hello-full-3", "quick-full-hello-quick-3"]
    firsts = set()
    for number in range(20):
        ran.clear()
        quick_full.run("hello", number)
        firsts.add(ran[0][0].split("-")[3])
    assert firsts == {"quick", "full"}, "the order is drawn"


def test_a_run_without_an_interval_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    forged = report([comparison("throughput", "no verdict", 0.5, 0.5, ratio=None)])
    monkeypatch.setattr(quick_full, "run_suite", lambda *_, **__: (forged, 36.0, None))
    monkeypatch.setitem(quick_full.PICKS, "hello", quick_full.Pick("one-core", "same-1"))
    monkeypatch.setattr(quick_full, "suite", lambda _name: "")
    with pytest.raises(MeasurementFailed, match="no interval of throughput"):
        quick_full.run("hello", 0)


def test_the_section_of_quick_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_full, "can_run", lambda name: name != "balance")

    def of(case: Any, n: int) -> dict[str, float]:
        shift, half = {"hello": (0.06, 0.01), "work": (0.0, 0.05)}.get(case.name, (0.0, 0.01))
        return pair(0.5 * math.exp(shift), half)

    section = quick_full.QuickFull(form=Form.SHORT)
    text, holds = section.page(filled(section, of))
    words = {row.split(" | ")[0][2:]: row.split(" | ")[-1] for row in text if row.startswith("| ")}
    assert (words["hello"], words["work"], words["nginx-go"]) == ("no |", "undecided |", "yes |") and not holds
    assert words["all suites"] == "yes |" and "Not here, since programs are missing: balance." in text
    assert section.page(filled(section, lambda case, n: pair(0.5, 0.01)))[1]
    text, holds = section.page(lines.Sorted([], {}))
    assert not holds and sum("unfinished: 0 of 1 runs" in row for row in text) == len(quick_full.PICKS) - 1
