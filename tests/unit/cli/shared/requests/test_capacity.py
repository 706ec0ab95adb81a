"""What `hopcost capacity` is asked of: suites, arms, connections, apps."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from mocks.queues import ONE_MS, QueueRig, searched
from texts import suite_files

from hopcost.cli.shared.requests.capacity import app_words, show_capacity, stacks_of
from hopcost.errors import UsageError
from hopcost.measure.protocols.capacity.ask import MeasuredCapacity
from hopcost.report import Format
from hopcost.statistics.questions.capacity.result import Kind


def test_a_suite_an_experiment_or_one_arm_may_be_named(tmp_path: Path) -> None:
    file = suite_files.write(tmp_path, suite_files.TWO_ARMS)
    for word, experiments, arms in (
        (str(file), ["links"], []),
        (f"{file}/links", ["links"], []),
        (f"{file}/links/unix", ["links"], ["unix"]),
        ("nginx-go/one-core", ["one-core"], []),
        ("nginx-go/one-core/go", ["one-core"], ["go"]),
    ):
        stacks = stacks_of(word, [], None)
        assert (stacks.experiments, stacks.arms) == (experiments, arms), word
    assert stacks_of("nginx-go/one-core", ["go"], None).arms == ["go"]


def test_connections_may_be_others_than_the_suites() -> None:
    stacks = stacks_of("nginx-go/one-core", [], 7)
    assert {experiment.workload.connections for experiment in stacks.suite.experiments} == {7}


@pytest.mark.parametrize("word", ["nginx-goo/one-core", "nginx-go/one-cor", "nginx-go"])
def test_another_name_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        stacks_of(word, [], None)


def test_an_app_is_what_front_would_be_told() -> None:
    request = app_words("python3 -m http.server {port}", ["nginx"], "/api", ["Accept: text/html"], 8).request()
    assert request.app.command == ["python3", "-m", "http.server", "{port}"]
    assert (request.workload.target, request.workload.connections) == ("/api", 8)


def test_a_quote_without_its_end_is_refused() -> None:
    with pytest.raises(UsageError, match="--app"):
        app_words("node 'server.js", [], "/", [], 8)


def test_an_exit_code_that_is_not_0_is_told_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = searched(QueueRig({"base": ONE_MS}), tmp_path, 60.0, "base")
    unknown = [msgspec.structs.replace(row, kind=Kind.NOT_SETTLED, per_s=None) for row in answer.rows]
    unsettled = msgspec.structs.replace(answer, rows=unknown)
    for result, well, exit_code, told in (
        (answer, True, 0, ""),
        (unsettled, True, 4, "exit code 4: no stack has a capacity\n"),
        (answer, False, 1, "exit code 1: something that was measured failed\n"),
    ):
        measured = MeasuredCapacity(result, interrupted=False, well=well)
        assert show_capacity(measured, Format.TEXT, None, details=False) == exit_code
        assert capsys.readouterr().err == told
