"""The kept runs of `make truth`: which count, which are missing, how a line is judged. Nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from samples.truth import ENGINE, HERE, case, line

from hopcost.errors import MeasurementFailed
from tools.truth import kept, lines, made_with
from tools.truth.page import part


def test_lines_that_are_not_alike_are_set_aside_and_counted() -> None:
    cases = [case("a", rate=1), case("b")]
    written = [
        line("a", settings={"rate": 1}),
        line("a", settings={"rate": 1}),  # twice: once is enough
        line("a", 1, settings={"rate": 2}),
        line("b", engine=msgspec.structs.replace(ENGINE, behaviour=2)),
        line("b", engine=msgspec.structs.replace(ENGINE, digest="other")),
        line("b", engine=msgspec.structs.replace(ENGINE, method=2)),
        line("b", engine=msgspec.structs.replace(ENGINE, commit="other")),  # the same behaviour
        line("b", machine=msgspec.structs.replace(HERE, kernel="other")),
        line("b", 1, foreign=0.051),
        line("b", 1, steal=0.021),
        line("b", 2),  # more than are asked for
        line("gone"),
    ]
    kept_lines = lines.sort_out(written, cases, ENGINE, HERE)
    assert [(run.case, run.number) for run in kept_lines.used] == [("a", 0), ("b", 0)]
    assert kept_lines.aside == {
        "of method 2": 1,
        "of another engine": 2,
        "of another machine": 1,
        "of other settings": 2,
        "beside programs of others": 2,
    }
    assert kept_lines.of("part", "b") == [{"a": 1.0}] and kept_lines.of("other", "b") == []


def test_a_case_says_how_much_the_hypervisor_may_keep() -> None:
    strict, lenient = case("a"), lines.Case("part", "a", lambda _: {}, 2, {}, steal_most=0.1)
    kept_some = [line("a", steal=0.099)]
    assert lines.sort_out(kept_some, [strict], ENGINE, HERE).aside == {"beside programs of others": 1}
    assert len(lines.sort_out(kept_some, [lenient], ENGINE, HERE).used) == 1
    assert lines.sort_out([line("a", steal=0.101)], [lenient], ENGINE, HERE).aside == {"beside programs of others": 1}


def test_a_killed_run_goes_on_where_it_was() -> None:
    cases = [case("a"), case("b", runs=3), case("c")]
    nothing = lines.Sorted([], {})
    order = lines.missing(cases, nothing)
    assert sorted((planned.name, number) for planned, number in order) == [
        *(("a", 0), ("a", 1)),
        *(("b", 0), ("b", 1), ("b", 2)),
        *(("c", 0), ("c", 1)),
    ]
    assert [number for _, number in order] == [0, 0, 0, 1, 1, 1, 2], "run by run"
    assert lines.missing(cases, nothing) == order, "the same order each time"
    begun = [line(planned.name, number) for planned, number in order[:3]]
    assert lines.missing(cases, lines.sort_out(begun, cases, ENGINE, HERE)) == order[3:]
    places = {tuple(planned.name for planned, _ in lines.missing([case(n, 40) for n in "abc"], nothing)[i : i + 3])
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
    assert sorted(figures["a"] for figures in file.done().of("part", ran[0][0])) == [0.0, 1.0]
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
    assert [figures["a"] for figures in file.done().of("part", "a")] == [0.0, 1.0, 2.0]
    ran.clear()
    failing = range(1, 100)
    broken = kept.Kept(tmp_path / "broken.jsonl", lambda: [lines.Case("part", "a", run, 3, {})])
    with pytest.raises(MeasurementFailed, match="5 runs in a row failed, the last one: the hypervisor kept 9 %"):
        broken.measure(at_most_s=60.0)
    assert len(ran) == 5


def test_a_line_without_a_method_is_of_method_2_and_of_no_digest() -> None:
    old = msgspec.json.decode(b'{"version": "0.1.0", "commit": "ff4d632b0394", "behaviour": 1}', type=made_with.Build)
    assert (old.method, old.digest) == (2, "")
    assert not old.is_same_engine(ENGINE) and ENGINE.is_same_engine(msgspec.structs.replace(ENGINE, commit="other"))


def test_no_run_begins_that_could_not_end_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[str] = []

    def timed(name: str, seconds: float) -> lines.Case:
        def run(_number: int) -> dict[str, float]:
            ran.append(name)
            return {}

        return lines.Case("part", name, run, 2, {}, seconds=seconds)

    monkeypatch.setattr(kept, "watched", lambda run: (run(), 0.0, 0.0))
    monkeypatch.setattr(kept, "wait_for_quiet", lambda: None)
    cases = [timed("long", 90.0), timed("brief", 5.0)]
    file = kept.Kept(tmp_path / "kept.jsonl", lambda: cases)
    file.measure(at_most_s=60.0)
    assert ran == ["brief", "brief"] and file.left() == 2


def test_what_only_reckons_waits_for_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kept, "watched", lambda run: (run(), 0.9, 0.9))
    monkeypatch.setattr(kept, "wait_for_quiet", lambda: pytest.fail("it waited"))
    file = kept.Kept(tmp_path / "kept.jsonl", lambda: [lines.Reckoned("part", "a", lambda _: {"a": 1.0}, 1, {})])
    file.measure(at_most_s=60.0)
    assert file.done().aside == {} and file.left() == 0


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
