"""`hopcost vs`: running servers side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared.arguments import Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.history import Keep, Labels, ready_to_keep
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.plan.method import METHOD
from hopcost.report import Format, Source

LEAST_PRECISION = 0.05  # per cent
SHARE = METHOD.open_loop_shares[0]
EPILOG = examples(
    "hopcost vs :3000 :4000",
    "hopcost vs http://127.0.0.1:8080/hello https://127.0.0.1:8443/hello -k",
    "hopcost vs unix:/run/app.sock:/ :80 --pid 2=4711",
    'hopcost vs :3000/api :4000/api -H "Authorization: Bearer …" --time 5m',
    then="Nothing is started, stopped or restarted: the answer is of these processes as they run now."
    " docs/how-to/compare-two-servers.md has more about each option.",
)


@app.command("vs", epilog=EPILOG)
def vs(
    urls: Annotated[
        list[str],
        typer.Argument(
            metavar="URL",
            help="http://HOST:PORT/PATH, https://…, unix:/run/app.sock:/PATH; :8080 is port 8080 of this machine. The"
            " first is what the others are compared with.",
            show_default=False,
        ),
    ],
    connections: Annotated[
        int, typer.Option("--connections", "-c", metavar="N", min=1, max=10_000, help="Connections to each server.")
    ] = 64,
    time: Annotated[
        str, typer.Option("--time", metavar="TIME", help="Longest time for all of it, as 90, 90s, 5m or 1h.")
    ] = "2m",
    precision: Annotated[
        str,
        typer.Option("--precision", metavar="PERCENT", help="It ends once every ratio is known to ± this much."),
    ] = f"{100 * METHOD.precision:g}%",
    rate: Annotated[
        list[float] | None,
        typer.Option(
            "--rate",
            "-r",
            metavar="R",
            min=0.1,
            max=10_000_000,
            help="Your load: offer each server R requests per second; repeat it for more loads."
            f" [default: {SHARE:.0%} of what the slowest can do]",
        ),
    ] = None,
    headers: Annotated[
        list[str] | None,
        typer.Option("--header", "-H", metavar='"NAME: VALUE"', help="A header field; repeat it for more."),
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", "-m", metavar="METHOD", help="[default: GET, with a body POST]")
    ] = None,
    body_file: Annotated[
        Path | None, typer.Option("--body-file", "-D", metavar="FILE", help="The request's body.")
    ] = None,
    timeout: Annotated[
        int, typer.Option("--timeout", "-T", metavar="S", min=1, max=3600, help="Seconds to wait for an answer.")
    ] = 10,
    status: Annotated[
        int | None,
        typer.Option(
            "--expect-status",
            metavar="STATUS",
            min=200,
            max=599,
            help="A correct answer has this one. [default: that of the first answers, from 200 to 299]",
        ),
    ] = None,
    any_body: Annotated[bool, typer.Option("--any-body", help="Compare the status alone.")] = False,
    insecure: Annotated[bool, typer.Option("--insecure", "-k", help="Do not verify certificates.")] = False,
    ca_file: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help="Certificate authorities to trust. [default: this system's]"),
    ] = None,
    http2: Annotated[
        list[int] | None,
        typer.Option("--http2", metavar="N", min=1, help="Speak HTTP/2 with the Nth URL, https://…; repeat it."),
    ] = None,
    streams: Annotated[
        int,
        typer.Option(
            "--streams", metavar="N", min=1, max=1000, help="Requests at a time on each connection, with --http2."
        ),
    ] = 1,
    pids: Annotated[
        list[str] | None,
        typer.Option(
            "--pid", metavar="N=PID", help="This process works for the Nth URL: its CPU time counts too; repeat it."
        ),
    ] = None,
    cgroups: Annotated[
        list[str] | None,
        typer.Option("--cgroup", metavar="N=DIR", help="The same of all processes of a cgroup, a container's too."),
    ] = None,
    freeze: Annotated[
        bool, typer.Option("--freeze", help="Let each server stand still (SIGSTOP) while the others are loaded.")
    ] = False,
    may_load: Annotated[
        bool,
        typer.Option("--i-may-load-this", help="Load addresses of the internet too: their owner has agreed."),
    ] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Measure beside other programs too; then there are no verdicts.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one]"),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/TIME-vs]"),
    ] = None,
    keep: Keep = None,
    labels: Labels = None,
    details: Everything = False,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA, Source.ROWS)] = Format.TEXT,
    output: Output = None,
) -> int:
    """Compare servers that already run: which is faster?

    They take turns under the same load, and the first one runs twice to show the noise.
    """
    from rich.console import Console

    from hopcost.cli.shared.arguments import read_header, read_percent, read_seconds
    from hopcost.cli.shared.ending import end_with, ending_of, error_of, has_verdict
    from hopcost.cli.shared.output import refuse_unwritable, show_result
    from hopcost.cli.shared.requests.vs import read_wishes, tell_servers
    from hopcost.cli.shared.screen import Screen
    from hopcost.errors import Interrupted
    from hopcost.measure.protocols.versus.run import Question, measure_servers, prepare, prepare_connections, why_failed
    from hopcost.plan.options import RunOptions
    from hopcost.report import Part
    from hopcost.report.record_report import record_report
    from hopcost.statistics.summary import summary
    from hopcost.suites.experiments.workload import Workload

    format = pick_format(format, json=json)
    refuse_unwritable(output)
    time_s = read_seconds("--time", time)
    keep_record = ready_to_keep(keep, labels)
    options = RunOptions(
        time_s=time_s,
        precision=read_percent("--precision", precision, LEAST_PRECISION),
        rates=tuple(dict.fromkeys(rate or [])),
        seed=seed,
        folder=record,
        on_busy_machine=anyway,
    )
    wishes = read_wishes(
        urls,
        method=method,
        body_file=body_file,
        ca_file=ca_file,
        pids=pids or [],
        cgroups=cgroups or [],
        freeze=freeze,
        may_load=may_load,
        verify=not insecure,
        http2=http2 or [],
        streams=streams,
    )
    fields = [read_header(text) for text in headers or []]
    workload = Workload(connections=connections, streams=streams, timeout_s=timeout, headers=fields)
    prepared = prepare(Question(urls, workload, wishes, status, any_body))
    console = Console(stderr=True, highlight=False)
    tell_servers(console, prepared)
    console.print("looking for some seconds how they treat idle connections")
    prepared = prepare_connections(prepared, workload, time_s)
    measured = measure_servers(prepared.suite, options, Screen(console))
    if measured.interrupted and not measured.record.blocks:
        console.print("interrupted before the first batch was done: nothing to report")
        raise Interrupted("before the first batch was done")
    summaries = summary.summarise(measured.record)
    show_result(record_report(measured.record, summaries, list(Part) if details else ()), format, output)
    if measured.interrupted:
        raise Interrupted("the report tells the results so far")
    keep_record(measured.record.path)
    ending = ending_of(measured.record, well=measured.well, is_answered=has_verdict(summaries))
    failed = why_failed(measured.record)
    if failed is not None:
        raise error_of(ending, *failed)
    return end_with(ending)
