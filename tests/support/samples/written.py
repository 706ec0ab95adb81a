"""Records written to disk, whole or changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from samples.blocks import plain_block, sound_block
from samples.questions.claims import CLAIMS
from samples.records import ENVIRONMENT, made_up_suite, plan_of
from samples.sweeps import peer_run, repeat

from hopcost.errors import MeasurementFailed, UsageError
from hopcost.record import reader as records
from hopcost.record.contents.run import Ending, Record, StopReason
from hopcost.record.writer import Writer
from hopcost.report import Format, Source, formats_with, render
from hopcost.report.questions.claims import claims_report
from hopcost.report.record_report import record_report
from hopcost.statistics.questions.claims import claims as questions_claims
from hopcost.statistics.summary import summary


def writer(path: Path | None) -> Writer:
    return Writer(path, made_up_suite(), plan_of(), ENVIRONMENT, ["hopcost", "run", "made-up"])


def recorded(path: Path, blocks: int) -> Path:
    with writer(path) as open_writer:
        for number in range(blocks):
            open_writer.append(plain_block(number))
    return path


def numbers(path: Path) -> list[int]:
    return [block.number for block in records.read_record(path).blocks]


def assert_the_record_before_stays(path: Path, caught: pytest.ExceptionInfo[MeasurementFailed], name: str) -> None:
    assert caught.value.message.startswith(f"{path}/{name}: ")
    assert caught.value.hint == f"what was recorded before is whole: hopcost report {path}"
    assert caught.value.exit_code == 1
    read = records.read_record(path)
    assert [block.number for block in read.blocks] == [0, 1]
    assert read.warnings == []


Change = Callable[[Any], None]


def written(folder: Path) -> Path:
    """A record with all that one may hold: the open loop, another generator's run, a repeat, memory, claims."""
    of_peer = sound_block(1)
    for arm in of_peer.arms:
        arm.slices, arm.totals, arm.warm_up, arm.open_loop, arm.peer = [], None, None, [], peer_run(3000, {"odd": 4})
    of_peer.open_ends = []
    with_claims = msgspec.structs.replace(made_up_suite(), claims=CLAIMS)
    with Writer(folder, with_claims, plan_of(quick=False), ENVIRONMENT, ["hopcost", "run", "made-up"]) as writer:
        for finished in (sound_block(0), of_peer, sound_block(2)):
            writer.append(finished)
        writer.append_repeat(repeat("direct", 0, peer_run(1000)))
        writer.end_experiment(Ending(experiment="cost", why=StopReason.BLOCKS, detail="done"))
    return folder


def changed(path: Path, file: str, change: Change, line: int = 1) -> None:
    """Change one file of a record as a hand would: one JSON value in it, or that of one line."""
    lines = (path / file).read_text().splitlines() if file.endswith("l") else [(path / file).read_text()]
    content = json.loads(lines[line - 1])
    change(content)
    lines[line - 1] = json.dumps(content)
    (path / file).write_text("\n".join(lines) + "\n")


def arm(block: Any, number: int = 0) -> Any:
    return block["arms"][number]


def every_report(path: Path) -> Record:
    """Read a record and render it in all formats; the record."""
    read = records.read_record(path)
    summaries = summary.summarise(read)
    for format in Format:
        assert render(record_report(read, summaries), format)
    claims = claims_report(questions_claims.judge_claims(read.suite, [read]))
    for format in formats_with(Source.DOCUMENT, Source.DATA, Source.ROWS):
        render(claims, format)
    return read


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        records.read_record(path)
    assert caught.value.exit_code == 2 and caught.value.hint
    return caught.value.message.removeprefix(f"{path}/")
