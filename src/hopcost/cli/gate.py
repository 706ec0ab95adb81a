"""`hopcost gate`: an arm before and after a change, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared.app import app, examples
from hopcost.cli.shared.arguments import ArmPath, Output, format_option
from hopcost.report import Format, Source
from hopcost.statistics.questions.gate_figures import GateFigures

EPILOG = examples(
    "hopcost gate nginx-go/one-core/nginx-http-tcp --after nginx.access_log=on --margin 3%",
    "hopcost gate nginx-go/one-core/nginx-http-tcp --before nginx.config=old.conf.j2 --after nginx.config=new.conf.j2",
    "hopcost gate hello/one-core/go --before go-hello.binary=./app-main --after go-hello.binary=./app-branch",
    "hopcost gate ./my-suite.toml/load/behind-nginx --after go-hello.gomaxprocs=2 --figure cpu -f markdown -o gate.md",
    then="SETTINGS are PROGRAM.SETTING=VALUE (hopcost show prints an arm's), PROGRAM.config=FILE for another"
    " configuration or PROGRAM.binary=FILE for another build; repeat the option for more of them. A side without"
    " any is the arm as it stands.\n\nExit codes: 0 it is not slower or dearer by more than the margin, 1 it"
    " is, or AFTER failed, 4 not settled within the time, or no verdict."
    " docs/gate.md has complete jobs for GitHub and GitLab.",
)


@app.command("gate", epilog=EPILOG)
def gate(
    arm: ArmPath,
    before: Annotated[
        list[str] | None,
        typer.Option("--before", metavar="SETTINGS", help="The arm before the change. [default: as it stands]"),
    ] = None,
    after: Annotated[
        list[str] | None,
        typer.Option("--after", metavar="SETTINGS", help="The arm after the change. [default: as it stands]"),
    ] = None,
    margin: Annotated[
        str,
        typer.Option(
            "--margin",
            metavar="PERCENT",
            help="How much slower or dearer is let through: 3% is from 1 to 1.03 times the time or CPU per request.",
        ),
    ] = "3%",
    figure: Annotated[
        GateFigures,
        typer.Option("--figure", help="What decides; with both, each of them must be within the margin."),
    ] = GateFigures.BOTH,
    time: Annotated[
        str,
        typer.Option(
            "--time", metavar="TIME", help="Time for it, as 90, 90s, 5m or 1h; it ends once it is precise enough."
        ),
    ] = "5m",
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one, recorded]"),
    ] = None,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA, help="The summary's format.")] = Format.TEXT,
    output: Output = None,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway", help="Measure beside other programs too; the figures are shown, and the gate is not settled."
        ),
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record", metavar="DIR", help="Where the record goes. [default: records/<UTC time>-gate-<suite>]"
        ),
    ] = None,
) -> int:
    """Measure an arm before and after a change, side by side; the exit code says whether it got slower."""
    import os

    from hopcost.cli.shared.arguments import read_percent, read_seconds
    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # may start this command again: before the heavy imports
    from rich.console import Console

    from hopcost.cli.shared.output import refuse_unwritable, write_result
    from hopcost.cli.shared.screen import Screen
    from hopcost.measure.protocols import before_after
    from hopcost.plan.options import RunOptions
    from hopcost.report import render
    from hopcost.report.tables.gate import append, gate_report, last_line
    from hopcost.statistics.questions.gate import GateQuestion

    question = GateQuestion(arm, before or [], after or [], read_percent("--margin", margin), figure)
    for_github = os.environ.get("GITHUB_STEP_SUMMARY")
    refuse_unwritable(output)
    console = Console(stderr=True, highlight=False)
    suite = before_after.gate_suite(question)
    if before_after.is_unchanged(suite):
        words = "both sides are the same: an A/A gate, which tells what this machine makes of no difference"
        console.print(words, soft_wrap=True)
    options = RunOptions(time_s=read_seconds("--time", time), seed=seed, folder=record, on_busy_machine=anyway)
    answer = before_after.ask_gate(question, suite, options, Screen(console))
    write_result(render(gate_report(answer), format), output)
    if for_github:
        append(answer, Path(for_github))
    console.print(last_line(answer), markup=False, soft_wrap=True)
    return answer.decision.outcome.exit_code
