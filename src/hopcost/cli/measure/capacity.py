"""`hopcost capacity`: the highest rate that holds objectives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.history import Keep, Labels, ready_to_keep
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.errors import UsageError
from hopcost.report import Format, Source
from hopcost.statistics.questions.capacity import DEFAULT_ERRORS, DEFAULT_TIME

EPILOG = examples(
    "hopcost capacity nginx-go/one-core",
    "hopcost capacity nginx-go/one-core/go --objective 'p99<5ms'",
    "hopcost capacity :3000 :4000 -O 'p99<50ms' -O 'errors<0.5%'",
    "hopcost capacity --app 'node server.js' --with nginx,keepalive",
    then="A rate that holds every objective is carried. docs/how-to/capacity.md has a worked example.",
)


@app.command("capacity", epilog=EPILOG)
def capacity(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TARGET",
            help="SUITE/EXPERIMENT, one arm as SUITE/EXPERIMENT/ARM, or the URLs of servers that run already.",
            autocompletion=complete.suites,
            show_default=False,
        ),
    ] = None,
    objectives: Annotated[
        list[str] | None,
        typer.Option(
            "--objective",
            "-O",
            metavar="LIMIT",
            help=f"What a rate must hold, as 'p99<50ms' or 'errors<0.1%'; repeat it."
            f" [default: {DEFAULT_TIME} and {DEFAULT_ERRORS}]",
        ),
    ] = None,
    arms: Annotated[
        list[str] | None, typer.Option("--arm", metavar="ARM", help="Only this arm of the suite; repeat it.")
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--app", metavar="CMD", help="Starts your app, as after `hopcost front --`: one word, in quotes."),
    ] = None,
    fronts: Annotated[
        list[str] | None, typer.Option("--with", metavar="FRONTS", help="With --app: what is put before it, as there.")
    ] = None,
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="With --app: path and query.")] = "/",
    connections: Annotated[
        int | None,
        typer.Option(
            "--connections", "-c", metavar="N", min=1, max=10_000, help="Connections. [default: the suite's, or 64]"
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="Time for all of it. [default: 90s; of several arms 60s for each]"),
    ] = None,
    headers: Annotated[
        list[str] | None,
        typer.Option("--header", "-H", metavar='"NAME: VALUE"', help="With URLs or --app: a header field; repeat it."),
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", "-m", metavar="METHOD", help="With URLs. [default: GET, with a body POST]")
    ] = None,
    body_file: Annotated[
        Path | None, typer.Option("--body-file", "-D", metavar="FILE", help="With URLs: the request's body.")
    ] = None,
    timeout: Annotated[
        int, typer.Option("--timeout", "-T", metavar="S", min=1, max=3600, help="With URLs: seconds to wait.")
    ] = 10,
    any_body: Annotated[bool, typer.Option("--any-body", help="With URLs: compare the status alone.")] = False,
    insecure: Annotated[bool, typer.Option("--insecure", "-k", help="With URLs: do not verify certificates.")] = False,
    http2: Annotated[
        list[int] | None,
        typer.Option(
            "--http2", metavar="N", min=1, help="With URLs: speak HTTP/2 with the Nth one, https://…; repeat it."
        ),
    ] = None,
    streams: Annotated[
        int,
        typer.Option(
            "--streams", metavar="N", min=1, max=1000, help="Requests at a time on each connection, with --http2."
        ),
    ] = 1,
    may_load: Annotated[
        bool,
        typer.Option("--i-may-load-this", help="Load addresses of the internet too: their owner has agreed."),
    ] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Measure beside other programs too.")] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of orders and arrivals. [default: a new one]"),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/TIME-SUITE]"),
    ] = None,
    keep: Keep = None,
    labels: Labels = None,
    details: Everything = False,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA, Source.ROWS)] = Format.TEXT,
    output: Output = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors and the answer, and nothing while it runs.")
    ] = False,
) -> int:
    """Find out how many requests per second are carried.

    It offers each stack one rate after another, in fresh starts, until the highest one is known that holds the
    objectives.
    """
    from hopcost.cli.shared.arguments import read_header, read_seconds
    from hopcost.cli.shared.output import refuse_unwritable
    from hopcost.statistics.questions.capacity.objectives import read_objectives
    from hopcost.statistics.questions.capacity.question import CapacityQuestion

    of_servers = any(":" in target for target in targets or [])  # an address has a colon, a suite's name has none
    if len(targets or []) > 1 and not of_servers:
        raise UsageError(
            "hopcost capacity takes one suite", "several URLs, or SUITE/EXPERIMENT with --arm for each arm"
        )
    if not targets and command is None:
        raise UsageError("hopcost capacity needs a target", "hopcost capacity nginx-go/one-core, a URL, or --app CMD")
    if targets and command is not None:
        raise UsageError(f"--app and {targets[0]}", "one of the two")
    if (http2 or streams > 1) and not of_servers:
        raise UsageError("--http2 and --streams are for URLs", "in a suite: the link http2+tls, workload.streams")
    limits = read_objectives(objectives or [])
    time_s = None if time is None else read_seconds("--time", time)
    format = pick_format(format, json=json)
    refuse_unwritable(output)

    from hopcost.stacks.sandbox import network

    if not of_servers:
        network.enter_user_namespace()  # may start this command again: before the heavy imports
    from rich.console import Console

    from hopcost.cli.shared.requests.capacity import (
        USUAL_CONNECTIONS,
        CapacityScreen,
        ServerWords,
        app_words,
        asked_again,
        measure_suite,
        measure_urls,
        server_options,
        show_capacity,
        stacks_of,
        stacks_of_app,
    )
    from hopcost.cli.shared.requests.vs import read_wishes
    from hopcost.plan.options import RunOptions

    keep_record = ready_to_keep(keep, labels)
    console = Console(stderr=True, highlight=False, quiet=quiet)
    options = RunOptions(time_s=time_s, seed=seed, folder=record, quiet=quiet, on_busy_machine=anyway)
    more = server_options(
        http2 or [], streams, headers or [], method, body_file, timeout, any_body=any_body, insecure=insecure
    )
    asked_of = asked_again(
        targets or [], command, fronts or [], path, arms or [], connections, more if of_servers else []
    )
    question = CapacityQuestion(target=asked_of, objectives=limits)
    screen = CapacityScreen(console, question.words)
    if of_servers:
        asked = ServerWords(
            fields=[read_header(text) for text in headers or []],
            timeout_s=timeout,
            connections=connections or USUAL_CONNECTIONS,
            any_body=any_body,
            wishes=read_wishes(
                targets or [],
                method=method,
                body_file=body_file,
                may_load=may_load,
                verify=not insecure,
                http2=http2 or [],
                streams=streams,
            ),
            streams=streams,
        )
        measured = measure_urls(targets or [], asked, question, options, screen)
    elif command is not None:
        words = app_words(command, fronts or [], path, headers or [], connections or USUAL_CONNECTIONS)
        measured = measure_suite(stacks_of_app(words, screen.say), question, options, screen)
    else:
        stacks = stacks_of((targets or [""])[0], arms or [], connections)
        measured = measure_suite(stacks, question, options, screen)
    exit_code = show_capacity(measured, format, output, details=details)
    keep_record(measured.answer.record.path)
    return exit_code
