"""What differs between both sides, in the reader's words."""

from __future__ import annotations

from pathlib import Path

import msgspec
from samples.questions.gates import page

from hopcost.report.questions.gate.changed import changed_settings, changes_in_files
from hopcost.statistics.questions.gate.gate import GateResult
from hopcost.suites.arms.app import App


def with_files(answer: GateResult, folder: Path, before: str, after: str) -> GateResult:
    """With a configuration of both sides in the record."""
    for side, text in (("before", before), ("after", after)):
        place = folder / "stacks" / "gate" / side
        place.mkdir(parents=True)
        (place / "origin.origin.conf").write_text(text)
    return msgspec.structs.replace(answer, record=msgspec.structs.replace(answer.record, path=folder))


def test_a_file_is_told_with_whose_it_is(slower: GateResult, tmp_path: Path) -> None:
    answer = with_files(slower, tmp_path / "kept", "gzip off;\n", "gzip on;\n")
    assert changes_in_files(answer) == ["origin: origin.conf: - gzip off;", "origin: origin.conf: + gzip on;"]


def test_four_lines_are_shown_as_four_lines(slower: GateResult, tmp_path: Path) -> None:
    answer = with_files(slower, tmp_path / "kept", "a;\nb;\n", "c;\nd;\n")
    assert page(answer).count("origin: origin.conf: ") == 4 and "more: --details" not in page(answer)


def test_of_more_the_rest_is_counted(slower: GateResult, tmp_path: Path) -> None:
    answer = with_files(slower, tmp_path / "kept", "a;\nb;\n", "c;\nd;\ne;\n")
    assert page(answer).count("origin: origin.conf: ") == 4 and "and 1 more: --details" in page(answer)
    assert page(answer, details=True).count("origin: origin.conf: ") == 4 + 5


def test_an_app_is_told_by_its_folder_and_its_command_as_typed(slower: GateResult) -> None:
    suite = slower.record.suite
    apps = {
        "before": App(command=["node", "server.js"], folder="/main"),
        "after": App(command=["node", "a b.js"], folder="/branch"),
    }
    arms = {
        name: msgspec.structs.replace(arm, hops=[msgspec.structs.replace(arm.hops[0], settings={}, app=apps[name])])
        for name, arm in suite.arms.items()
    }
    record = msgspec.structs.replace(slower.record, suite=msgspec.structs.replace(suite, arms=arms))
    assert changed_settings(msgspec.structs.replace(slower, record=record)) == [
        "origin.command: node server.js → node 'a b.js'",
        "origin.folder: /main → /branch",
    ]
