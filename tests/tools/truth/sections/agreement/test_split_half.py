"""Halves of real records: agreement by hand, and records as they are read. Nothing is run."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from golden import FOLDER

from hopcost.plan.method import METHOD
from hopcost.record import reader
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Record
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import Interval
from tools.truth.lines import Sorted
from tools.truth.sections.agreement import split_half

WHOLE = FOLDER / "records" / "whole"


def interval(log: float, half: float) -> Interval:
    return Interval(value=math.exp(log), low=math.exp(log - half), high=math.exp(log + half))


def test_halves_agree_within_the_root_of_the_squares() -> None:
    wide = interval(0.0, 0.03)
    assert split_half.Halves(wide, interval(0.0499, 0.04)).agree()
    assert split_half.Halves(wide, interval(-0.0499, 0.04)).agree()
    assert not split_half.Halves(wide, interval(0.0501, 0.04)).agree()
    assert split_half.Halves(wide, Interval(value=1.0, low=None, high=None)).agree() is None


def longer(record: Record, slower_in_odd_blocks: float) -> Record:
    """The record with its blocks twice; the arms beside the baseline are slower in every other one."""
    copies: list[Block] = []
    for number, block in enumerate([*record.blocks, *record.blocks]):
        factor = slower_in_odd_blocks if number % 2 == 0 else 1.0
        arms = [
            msgspec.structs.replace(
                arm,
                slices=[
                    msgspec.structs.replace(piece, answers=round(piece.answers * factor))
                    if not arm.name.startswith(record.plan.experiments[0].baseline)
                    else piece
                    for piece in arm.slices
                ],
            )
            for arm in block.arms
        ]
        copies.append(msgspec.structs.replace(block, number=number, arms=arms))
    return msgspec.structs.replace(record, blocks=copies)


def test_a_record_whose_halves_differ_is_seen() -> None:
    record = reader.read_record(WHOLE)
    (experiment,) = record.plan.experiments
    others = sum(arm.copy_of is None for arm in experiment.arms) - 1
    alike = split_half.counted(longer(record, 1.0))
    assert alike["throughput_contrasts"] == others == alike["throughput_agree"] and alike["blocks"] == 8
    apart = split_half.counted(longer(record, 0.01))
    assert apart["throughput_contrasts"] == others and apart["throughput_agree"] == 0


def test_too_few_blocks_say_nothing() -> None:
    record = reader.read_record(WHOLE)
    short = msgspec.structs.replace(record, blocks=record.blocks[:3])
    assert list(split_half.halves(short, throughput)) == []


def put(folder: Path, name: str, method: int, started: str = "2026-01-01T00:00:00Z") -> None:
    shutil.copytree(WHOLE, folder / name)
    path = folder / name / "run.json"
    run: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({**run, "method": method, "started_utc": started}))


def test_only_records_of_this_method_are_read(tmp_path: Path) -> None:
    put(tmp_path, "truth/now", METHOD.number)
    put(tmp_path, "before", METHOD.number - 1)
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "run.json").write_text("{")
    assert split_half.find_records(tmp_path) == {"truth/now": "2026-01-01T00:00:00Z"}


def test_what_was_counted_stays_when_the_record_is_gone(tmp_path: Path) -> None:
    records, kept = tmp_path / "records", tmp_path / "kept"
    put(records, "a", METHOD.number)
    section = split_half.SplitHalf(kept, records=records)
    section.kept.measure(60.0)
    assert [line.case for line in section.kept.done().used] == ["a"] and section.kept.left() == 19
    shutil.rmtree(records / "a")
    assert [line.case for line in section.kept.done().used] == ["a"]
    put(records, "a", METHOD.number, "2026-02-02T00:00:00Z")
    assert section.kept.left() == 20, "another record of that name"
    section.kept.measure(60.0)
    assert section.kept.left() == 19


def test_a_damaged_record_says_nothing(tmp_path: Path) -> None:
    put(tmp_path, "a", METHOD.number)
    (tmp_path / "a" / "plan.json").write_text("{")
    figures = split_half.run(tmp_path / "a", 0)
    assert figures["throughput_contrasts"] == 0 and split_half.with_contrasts([figures]) == []


def figures(of: int, agree: int) -> dict[str, float]:
    half = {"throughput_contrasts": of, "throughput_agree": agree}
    return {"blocks": 8.0, **half, "cpu_contrasts": of, "cpu_agree": of}


@pytest.mark.parametrize(
    ("runs", "word"),
    [
        ([figures(5, 5)] * 18 + [figures(5, 0)] * 2, "yes"),
        ([figures(5, 5)] * 17 + [figures(5, 0)] * 3, "no"),
        ([figures(5, 5)] * 19 + [figures(0, 0)] * 9, "unfinished: 19 of 20 records"),
    ],
)
def test_19_of_20_contrasts_over_20_records(runs: list[dict[str, float]], word: str) -> None:
    assert split_half.verdict(runs) == word


def test_the_section_of_halves(tmp_path: Path) -> None:
    section = split_half.SplitHalf(tmp_path, records=tmp_path)
    text, holds = section.page(Sorted([], {}))
    assert not holds and any("unfinished: 0 of 20 records" in row for row in text)
    row = split_half._cells([figures(5, 5)] * 19 + [figures(5, 0)])
    assert row == ["20", "8", "100", "95", "100", "100", "97.5%"]
