"""`hopcost front`: what to put before an app, and what each front costs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared.arguments import Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.history import Keep, Labels, ready_to_keep
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.errors import UsageError
from hopcost.report import Format, Source
from hopcost.statistics.questions.front.fronts import DEFAULT, Front

APP_EXAMPLES = (
    "hopcost front -- node server.js",
    "hopcost front --path /api/users -- ./my-go-app",
    "hopcost front -- gunicorn -b 127.0.0.1:{port} app:app",
    "hopcost front --with all -- uvicorn app:app --port {port}",
    "hopcost front --fastcgi --path /index.php -- php-fpm -F -y my.conf",
)
EPILOG = examples(
    *APP_EXAMPLES,
    "hopcost front --needs 127.0.0.1:5432 -- gunicorn -b :{port} site.wsgi",
    then="CMD runs as it is, without a shell. {port} in it, and the variable PORT, are where it is to listen. If it"
    " takes neither, hopcost finds its port. Each stack has a network of its own, so the port may be taken here.",
)
PRECISION = 0.005  # a run takes the time that was announced; nobody waits for a narrower range


@app.command("front", epilog=EPILOG, context_settings={"allow_interspersed_args": False})
def front(
    context: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CMD", help="Starts your app in the foreground. Write -- before it.", show_default=False
        ),
    ] = None,
    fronts: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FRONTS",
            help=f"{', '.join(Front)}, or all; with commas. [default: {','.join(DEFAULT)}]",
        ),
    ] = None,
    http2: Annotated[
        bool, typer.Option("--http2", help="Put nginx with HTTP/2 before it too, beside the same over TLS alone.")
    ] = False,
    streams: Annotated[
        int | None,
        typer.Option(
            "--streams", metavar="N", min=1, max=1000, help="Requests at a time on each connection, with --http2."
        ),
    ] = None,
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="Path and query of the request.")] = "/",
    header: Annotated[
        list[str] | None,
        typer.Option("-H", "--header", metavar="'NAME: VALUE'", help="A header field of the request; repeat it."),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", metavar="METHOD", help="GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.")
    ] = "GET",
    body_bytes: Annotated[
        int | None, typer.Option("--body-bytes", metavar="N", min=1, help="How much each upload carries.")
    ] = None,
    body_file: Annotated[
        Path | None, typer.Option("--body-file", "-D", metavar="FILE", help="Or what each carries: a file of text.")
    ] = None,
    connections: Annotated[
        int, typer.Option("--connections", "-c", metavar="N", min=1, help="Connections that are always busy.")
    ] = 64,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", min=1, max=65535, help="Where your app listens, whatever it is told."),
    ] = None,
    socket: Annotated[
        str | None,
        typer.Option(
            "--socket", metavar="CMD", help="Starts your app on the Unix socket {socket}: one word, in quotes."
        ),
    ] = None,
    fastcgi: Annotated[bool, typer.Option("--fastcgi", help="Your app speaks FastCGI, as PHP-FPM does.")] = False,
    script: Annotated[
        Path | None,
        typer.Option("--script", metavar="FILE", help="With --fastcgi: SCRIPT_FILENAME. [default: as --path says]"),
    ] = None,
    needs: Annotated[
        list[str] | None,
        typer.Option(
            "--needs", metavar="PLACE", help="A database or cache of this machine, HOST:PORT or unix:PATH; repeat it."
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Where your app is started. [default: here]")
    ] = None,
    environment: Annotated[
        list[str] | None,
        typer.Option("--env", metavar="NAME=VALUE", help="A variable for your app; records hide the value."),
    ] = None,
    ready: Annotated[
        str | None,
        typer.Option("--ready", metavar="TIME", help="How long your app may take until it listens. [default: 30s]"),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="R", min=0.1, help="Compare CPU at R requests per second too, if that can be."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A first answer with wider ranges.")] = False,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="Time for it, as 90, 90s, 5m or 1h. [default: as your app takes]"),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision", metavar="PERCENT", help="End before the time, once every ratio is known to ± this."
        ),
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option("--suite", metavar="FILE", help="Write the suite for `hopcost run` and end, without measuring."),
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
        typer.Option("--anyway", help="Measure beside other programs too; then there are no verdicts."),
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/TIME-front]"),
    ] = None,
    keep: Keep = None,
    labels: Labels = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors and the answer, and nothing while it runs.")
    ] = False,
) -> int:
    """Find out what to put before your app, and what that costs it.

    It starts your app alone and behind each front, loads them in turns, and ends with advice and a configuration.
    """
    if not command:
        lines = ["hopcost front needs the command that starts your app, like", *_indented()]
        raise UsageError("\n".join(lines), "write -- before it")
    from hopcost.cli.shared.arguments import read_percent, read_seconds
    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # may start this command again: before the heavy imports
    from rich.console import Console

    from hopcost.cli.shared.ending import end_with, ending_of
    from hopcost.cli.shared.output import refuse_unwritable, show_result
    from hopcost.cli.shared.requests.app import own_options_behind
    from hopcost.cli.shared.requests.front import FrontWords, show_left_out, show_time, write_suite
    from hopcost.cli.shared.requests.http2 import read_streams
    from hopcost.cli.shared.screen import Screen
    from hopcost.errors import Interrupted
    from hopcost.measure.protocols.front.ask import measure_fronts, plan_fronts
    from hopcost.plan.options import RunOptions
    from hopcost.record.writer import refuse_taken
    from hopcost.report.questions.front import front_report
    from hopcost.report.questions.front.words import shared_reason

    format = pick_format(format, json=json)
    words = FrontWords(
        command=command,
        fronts=fronts or [],
        path=path,
        headers=header or [],
        method=method,
        body_bytes=body_bytes,
        body_file=body_file,
        connections=connections,
        port=port,
        socket=socket,
        is_fastcgi=fastcgi,
        script=script,
        needs=needs or [],
        folder=folder,
        environment=environment or [],
        rate=rate,
        is_quick=quick,
        ready=ready,
        streams=read_streams(streams, http2=http2),
    )
    time_s = None if time is None else read_seconds("--time", time)
    narrow = PRECISION if precision is None else read_percent("--precision", precision)
    for file in (output, suite):
        refuse_unwritable(file)
    if record is not None:
        refuse_taken(record)
    keep_record = ready_to_keep(keep, labels)
    console = Console(stderr=True, highlight=False, quiet=quiet)

    def say(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    request = words.request()
    own_options = [option for parameter in context.command.params for option in parameter.opts]
    for option in own_options_behind(command, own_options, sys.argv):
        say(f"note: {option} goes to your app; as hopcost's own it stands before the app's command")
    try:
        plan = plan_fronts(request, say, time_s)
    except KeyboardInterrupt:
        say("interrupted while the app was learned: nothing was measured")
        raise Interrupted("while the app was learned") from None
    show_left_out(plan, say)
    if suite is not None:
        write_suite(plan, suite)
        return 0
    show_time(plan, say)
    options = RunOptions(
        quick=quick,
        time_s=plan.time.seconds,
        seed=seed,
        folder=record,
        precision=narrow,
        rates=(rate,) if rate is not None else (),
        quiet=quiet,
        on_busy_machine=anyway,
    )
    measured = measure_fronts(plan, options, Screen(console))
    if measured.interrupted and not measured.answer.record.blocks:
        say("interrupted before the first start was done: nothing to report")
        raise Interrupted("before the first start was done")
    show_result(front_report(measured.answer, details=details), format, output)
    if measured.interrupted:
        raise Interrupted("the answer tells the results so far")
    answer = measured.answer
    keep_record(answer.record.path)
    is_answered = anyway or (bool(answer.advice) and shared_reason(answer) is None)
    return end_with(ending_of(answer.record, well=measured.well, is_answered=is_answered))


def _indented() -> list[str]:
    return [f"  {example}" for example in APP_EXAMPLES]
