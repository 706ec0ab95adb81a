"""`hopcost gate --against history`: the newest kept record beside those before it. Nothing is measured."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path

from hopcost.cli.shared.history import open_history
from hopcost.cli.shared.requests.history import refuse_none, series_of, wanted_of
from hopcost.errors import UsageError
from hopcost.report import Format
from hopcost.statistics.questions.gate.figures import GateFigures


class Against(StrEnum):
    """What a gate may put an arm beside, other than the arm before a change."""

    HISTORY = "history"


def refuse_measuring(options: dict[str, object]) -> None:
    """UsageError if one of these options, which only a measurement has a use for, was given a value."""
    given = [option for option, value in options.items() if value]
    if given:
        raise UsageError(
            f"--against history measures nothing, so it has no use for {', '.join(given)}",
            "hopcost run SUITE --keep measures and keeps a record; then hopcost gate ARM --against history",
        )


def refuse_of_history(options: dict[str, object]) -> None:
    """UsageError if one of these options, which only a history has a use for, was given a value."""
    given = [option for option, value in options.items() if value]
    if given:
        raise UsageError(f"a gate that measures has no use for {', '.join(given)}", "add --against history")


def gate_newest_record(
    arm: str,
    *,
    margin: float,
    deciding: GateFigures,
    database: str | None,
    labels: list[str] | None,
    machine: str | None,
    format: Format,
    output: Path | None,
) -> int:
    """The exit code; the answer is printed or written."""
    from hopcost.cli.shared.output import show_result
    from hopcost.report.questions.history.newest import history_gate_report
    from hopcost.report.questions.history.newest.answer import FIGURES, gate_newest, reasons_in
    from hopcost.report.questions.history.newest.document import append, last_line

    with open_history(database) as history:
        wanted = wanted_of(history, arm, labels=labels, machine=machine)
        by_figure = {figure: series_of(history, wanted, figure) for figure in FIGURES}
        if not any(by_figure.values()):
            raise refuse_none(history, wanted)
        _, experiment, name = wanted.arm
        answer = gate_newest(
            wanted.name,
            by_figure,
            margin,
            deciding,
            lambda digest: reasons_in(history.summary(digest), experiment, name),
        )
    show_result(history_gate_report(answer), format, output)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        append(answer, Path(summary))
    if output is not None or format is not Format.TEXT:
        print(last_line(answer), file=sys.stderr)
    return answer.exit_code
