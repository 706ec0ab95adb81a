"""`hopcost conf`: what each directive of an nginx.conf costs, and a diff that is worth it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared.arguments import Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.history import Keep, Labels, ready_to_keep
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.errors import UsageError
from hopcost.report import Format, Source

FILE_EXAMPLES = (
    "hopcost conf /etc/nginx/nginx.conf",
    "hopcost conf sites-enabled/shop.conf --path /products",
    "hopcost conf nginx.conf -- gunicorn -b 127.0.0.1:8000 app:app",
)
EPILOG = examples(
    *FILE_EXAMPLES,
    "hopcost conf nginx.conf --site example.org:443 --new-connections",
    "hopcost conf nginx.conf --site example.org:443 --http2 --streams 10",
    "hopcost conf nginx.conf --nginx /opt/nginx/sbin/nginx --diff worth.diff",
    then="nginx runs your files in a jail with all that they name. The files themselves are never written."
    " Without CMD hopcost's own origin stands where they pass requests to.",
)
PRECISION = 0.005  # a run takes the time that was announced


@app.command("conf", epilog=EPILOG)
def conf(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="nginx.conf, its folder, or the file of a site.", show_default=False),
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CMD", help="Starts the app behind it in the foreground. Write -- before it.", show_default=False
        ),
    ] = None,
    nginx: Annotated[
        str, typer.Option("--nginx", metavar="BINARY", help="The nginx that reads it: a name or a path.")
    ] = "nginx",
    site: Annotated[
        str | None,
        typer.Option(
            "--site", "--host", metavar="HOST:PORT", help="The site to measure. [default: the first that answers]"
        ),
    ] = None,
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="Path and query of the request.")] = "/",
    header: Annotated[
        list[str] | None,
        typer.Option("-H", "--header", metavar="'NAME: VALUE'", help="A header field of the request; repeat it."),
    ] = None,
    body_bytes: Annotated[
        int | None, typer.Option("--body-bytes", metavar="N", min=1, help="Upload N bytes with each request.")
    ] = None,
    body_file: Annotated[
        Path | None, typer.Option("--body-file", "-D", metavar="FILE", help="Or upload this file of text.")
    ] = None,
    connections: Annotated[
        int, typer.Option("--connections", "-c", metavar="N", min=1, help="Connections that are always busy.")
    ] = 32,
    new_connections: Annotated[
        str | None,
        typer.Option("--new-connections", metavar="[N]", help="Open a new connection after N requests. [N: 1]"),
    ] = None,
    http2: Annotated[bool, typer.Option("--http2", help="Clients speak HTTP/2 with the site, over TLS.")] = False,
    streams: Annotated[
        int | None,
        typer.Option(
            "--streams", metavar="N", min=1, max=1000, help="Requests at a time on each connection, with --http2."
        ),
    ] = None,
    app_port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", min=1, max=65535, help="Where your app listens, whatever it is told."),
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
    quick: Annotated[bool, typer.Option("--quick", help="A first answer with wider ranges.")] = False,
    time: Annotated[
        str | None, typer.Option("--time", metavar="TIME", help="Time for it, as 90, 90s, 5m or 1h. [default: 5m]")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one]"),
    ] = None,
    diff: Annotated[
        Path | None, typer.Option("--diff", metavar="FILE", help="Write the diff alone there, for patch -p0.")
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
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/TIME-conf]"),
    ] = None,
    keep: Keep = None,
    labels: Labels = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors and the answer, and nothing while it runs.")
    ] = False,
) -> int:
    """Find out what each directive of your nginx.conf costs.

    It screens all changes that this load can show, confirms the best in fresh starts, and ends with a diff.
    """
    if file is None:
        indented = [f"  {example}" for example in FILE_EXAMPLES]
        lines = ["hopcost conf needs a configuration, like", *indented]
        raise UsageError("\n".join(lines), "nginx -t prints which file your nginx reads")
    from hopcost.cli.shared.arguments import read_seconds
    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # may start this command again: before the heavy imports
    from rich.console import Console

    from hopcost.cli.shared.ending import end_with, ending_of
    from hopcost.cli.shared.output import refuse_unwritable, show_result
    from hopcost.cli.shared.requests.conf import ConfWords, read_new_connections, refuse_own_file, show_plan, write_diff
    from hopcost.cli.shared.requests.http2 import read_streams
    from hopcost.cli.shared.screen import Screen
    from hopcost.errors import Interrupted
    from hopcost.measure.protocols.conf.ask import learn_conf, measure_conf
    from hopcost.plan.options import RunOptions
    from hopcost.record.writer import refuse_taken
    from hopcost.report.questions.conf import conf_report

    format = pick_format(format, json=json)
    words = ConfWords(
        file=file,
        command=command or [],
        nginx=nginx,
        site=site,
        path=path,
        headers=header or [],
        body_bytes=body_bytes,
        body_file=body_file,
        connections=connections,
        new_connections=read_new_connections(new_connections),
        streams=read_streams(streams, http2=http2),
        app_port=app_port,
        needs=needs or [],
        folder=folder,
        environment=environment or [],
        is_quick=quick,
        ready=ready,
    )
    time_s = None if time is None else read_seconds("--time", time)
    for option, path_to_write in (("--output", output), ("--diff", diff)):
        refuse_unwritable(path_to_write)
        refuse_own_file(option, path_to_write, file)
    if record is not None:
        refuse_taken(record)
    keep_record = ready_to_keep(keep, labels)
    console = Console(stderr=True, highlight=False, quiet=quiet)

    def say(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    try:
        learned = learn_conf(words.request(), say, time_s)
    except KeyboardInterrupt:
        say("interrupted while the file was learned: nothing was measured")
        raise Interrupted("while the file was learned") from None
    show_plan(learned.plan, say)
    options = RunOptions(
        quick=quick, seed=seed, folder=record, precision=PRECISION, quiet=quiet, on_busy_machine=anyway
    )
    measured = measure_conf(learned, options, Screen(console))
    if measured.answer is None or (measured.interrupted and not measured.answer.record.blocks):
        say("interrupted before the first start was done: nothing to report")
        raise Interrupted("before the first start was done")
    answer = measured.answer
    show_result(conf_report(answer, details=details), format, output)
    if diff is not None and not write_diff(answer, learned, diff):
        say(f"{diff}: not written, there is no diff")
    if measured.interrupted:
        raise Interrupted("the answer tells the results so far")
    keep_record(answer.record.path)
    confirmed = [experiment.plan for experiment in answer.experiments]
    is_answered = anyway or answer.is_settled
    return end_with(ending_of(answer.record, confirmed, well=measured.well, is_answered=is_answered))
