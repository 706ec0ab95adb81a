"""`hopcost gate`: an arm before and after a change, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.history import Database, Keep, Labels, ready_to_keep
from hopcost.cli.shared.requests.history import OfMachine
from hopcost.cli.shared.requests.newest import Against
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.report import Format, Source
from hopcost.statistics.questions.gate.figures import DEFAULT_MARGIN, GateFigures

DEFAULT_TIME = "5m"
EPILOG = examples(
    "hopcost gate nginx-go/one-core/nginx-http-tcp --after nginx.access_log=on",
    "hopcost gate hello/one-core/nginx --after nginx.config=new.conf.j2",
    "hopcost gate ./my-app.toml/one-core/nginx --after app.folder=../new",
    "hopcost gate one-core/nginx-http-tcp --against history --label branch=main",
    then="SETTINGS are PROGRAM.SETTING=VALUE, PROGRAM.config=FILE for another configuration or PROGRAM.binary=FILE for"
    " another build. An app of yours takes APP.folder=DIR, APP.command='WORDS' or APP.binary=FILE. Repeat the option"
    " for more of them. A side without any is the stack as it stands.\n\n\b\nExit codes:\n"
    "  0    not slower, and no more CPU, than the margin allows\n"
    "  1    slower or more CPU than that, or AFTER failed\n"
    "  4    not settled within the time, or no verdict\n"
    "  130  interrupted: it prints what was measured, and nothing is decided\n\n"
    "docs/how-to/gate-ci.md has complete jobs for GitHub and GitLab.",
)


@app.command("gate", epilog=EPILOG)
def gate(
    arm: Annotated[
        str,
        typer.Argument(
            metavar="SUITE/EXPERIMENT/ARM",
            help="As in nginx-go/one-core/nginx-http-tcp; its end is enough if no other arm ends so.",
            autocompletion=complete.arms,
        ),
    ],
    before: Annotated[
        list[str] | None,
        typer.Option("--before", metavar="SETTINGS", help="The stack before the change. [default: as it stands]"),
    ] = None,
    after: Annotated[
        list[str] | None,
        typer.Option("--after", metavar="SETTINGS", help="The stack after the change. [default: as it stands]"),
    ] = None,
    margin: Annotated[
        str,
        typer.Option(
            "--margin",
            metavar="PERCENT",
            help="Largest slowdown that still passes: at 3% a request may take 1.03 times the time or CPU.",
        ),
    ] = f"{100 * DEFAULT_MARGIN:g}%",
    figure: Annotated[
        GateFigures,
        typer.Option("--figure", help="What decides; `both`: each must be within the margin."),
    ] = GateFigures.BOTH,
    time: Annotated[
        str,
        typer.Option(
            "--time", metavar="TIME", help="Longest time, as 90, 90s, 5m or 1h; it ends once it is precise enough."
        ),
    ] = DEFAULT_TIME,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="PERCENT",
            help="How narrow both ranges must be before it ends. [default: two thirds of the margin]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one]"),
    ] = None,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA)] = Format.TEXT,
    output: Output = None,
    details: Everything = False,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Measure beside other programs too; then there is no verdict."),
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/TIME-gate-SUITE]"),
    ] = None,
    keep: Keep = None,
    labels: Labels = None,
    against: Annotated[
        Against | None,
        typer.Option(
            "--against",
            metavar="history",
            help="Measure nothing: judge the newest kept record by those before it.",
        ),
    ] = None,
    machine: OfMachine = None,
    database: Database = None,
) -> int:
    """Measure one stack before and after a change: is it slower?

    Both sides take turns in one run, and the exit code gives the answer.
    """
    import os

    from hopcost.cli.shared.arguments import read_percent, read_seconds, whole_arm
    from hopcost.cli.shared.requests.newest import gate_newest_record, refuse_measuring, refuse_of_history
    from hopcost.stacks.sandbox import network

    if against is Against.HISTORY:
        given: dict[str, object] = {"--before": before, "--after": after, "--precision": precision}
        given |= {"--time": time != DEFAULT_TIME, "--seed": seed is not None, "--keep": keep is not None}
        refuse_measuring({**given, "--anyway": anyway, "--record": record, "--details": details})
        return gate_newest_record(
            arm,
            margin=read_percent("--margin", margin),
            deciding=figure,
            database=database,
            labels=labels,
            machine=machine,
            format=pick_format(format, json=json),
            output=output,
        )
    refuse_of_history({"--machine": machine, "--database": database})
    arm = whole_arm(arm)
    network.enter_user_namespace()  # may start this command again: before the heavy imports
    from rich.console import Console

    from hopcost.cli.shared.output import refuse_unwritable, show_result
    from hopcost.cli.shared.screen import Screen, refuse_nothing
    from hopcost.errors import Interrupted
    from hopcost.measure.protocols import before_after
    from hopcost.plan.options import RunOptions
    from hopcost.report.questions.gate import gate_report
    from hopcost.report.questions.gate.document import append, last_line
    from hopcost.statistics.questions.gate.gate import PRECISION_SHARE, GateQuestion, read_gate

    format = pick_format(format, json=json)
    asked = GateQuestion(arm, before or [], after or [], read_percent("--margin", margin), figure)
    for_github = os.environ.get("GITHUB_STEP_SUMMARY")
    refuse_unwritable(output)
    keep_record = ready_to_keep(keep, labels)
    console = Console(stderr=True, highlight=False)
    suite = before_after.gate_suite(asked)
    question = before_after.question_to_keep(asked, suite)
    if question.is_same:
        words = "both sides are identical, so this shows the machine's noise"
        console.print(words, soft_wrap=True)
    options = RunOptions(
        time_s=read_seconds("--time", time),
        precision=PRECISION_SHARE * question.margin if precision is None else read_percent("--precision", precision),
        seed=seed,
        folder=record,
        on_busy_machine=anyway,
    )
    measured = before_after.measure_gate(question, suite, options, Screen(console))
    if measured.interrupted:
        refuse_nothing(console, measured.record)
    answer = read_gate(question, measured.record)
    show_result(gate_report(answer, details=details), format, output)
    if for_github:
        append(answer, Path(for_github))
    if output is not None or format is not Format.TEXT:
        console.print(last_line(answer), markup=False, soft_wrap=True)
    if measured.interrupted:
        raise Interrupted("the answer tells what was measured")
    keep_record(measured.record.path)
    return answer.exit_code
