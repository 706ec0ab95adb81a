"""`hopcost vs`: running servers side by side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopcost.cli.shared.arguments import Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.errors import UsageError
from hopcost.plan.method import METHOD
from hopcost.report import Format, Source

if TYPE_CHECKING:
    from rich.console import Console

    from hopcost.measure.protocols.versus.find import Wishes
    from hopcost.measure.protocols.versus.run import Prepared

LEAST_PRECISION = 0.05  # per cent
SHARE = METHOD.open_loop_shares[0]
HEADER = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*([^\r\n]*?)\s*")
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

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
    details: Everything = False,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA, Source.ROWS)] = Format.TEXT,
    output: Output = None,
) -> int:
    """Compare servers that already run: which is faster?

    They take turns under the same load, and the first one runs twice to show the noise.
    """
    from rich.console import Console

    from hopcost.cli.shared.arguments import read_percent, read_seconds
    from hopcost.cli.shared.ending import end_with, ending_of, error_of, has_verdict
    from hopcost.cli.shared.output import refuse_unwritable, show_result
    from hopcost.cli.shared.screen import Screen
    from hopcost.errors import Interrupted
    from hopcost.measure.protocols.versus.run import Question, measure_servers, prepare, prepare_connections, why_failed
    from hopcost.plan.options import RunOptions
    from hopcost.report import Part
    from hopcost.report.record_report import record_report
    from hopcost.statistics.summary import summary
    from hopcost.suites.experiments.experiment import Workload

    format = pick_format(format, json=json)
    refuse_unwritable(output)
    time_s = read_seconds("--time", time)
    options = RunOptions(
        time_s=time_s,
        precision=read_percent("--precision", precision, LEAST_PRECISION),
        rates=tuple(dict.fromkeys(rate or [])),
        seed=seed,
        folder=record,
        on_busy_machine=anyway,
    )
    wishes = _wishes(urls, method, body_file, ca_file, pids or [], cgroups or [], freeze, may_load, verify=not insecure)
    wishes = _with_http2(wishes, http2 or [], streams, len(urls))
    fields = [[name, value] for name, value in map(read_header, headers or [])]
    workload = Workload(connections=connections, streams=streams, timeout_s=timeout, headers=fields)
    prepared = prepare(Question(urls, workload, wishes, status, any_body))
    console = Console(stderr=True, highlight=False)
    _tell(console, prepared)
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
    ending = ending_of(measured.record, summaries, well=measured.well, is_answered=has_verdict(summaries))
    failed = why_failed(measured.record)
    if failed is not None:
        raise error_of(ending, *failed)
    return end_with(ending)


def read_header(text: str) -> tuple[str, str]:
    """`NAME: VALUE`; UsageError for anything else.

    >>> read_header("Accept:  text/html ")
    ('Accept', 'text/html')
    """
    match = HEADER.fullmatch(text)
    if match is None:
        raise UsageError(f"-H `{text}`: not a header", 'like -H "Accept: text/html"')
    if match[1].lower() in ("connection", "content-length", "transfer-encoding"):
        raise UsageError(f"-H `{text}`: {match[1]} is hopcost's own to send", "leave it out")
    return match[1], match[2]


def _wishes(
    urls: list[str],
    method: str | None,
    body_file: Path | None,
    ca_file: Path | None,
    pids: list[str],
    cgroups: list[str],
    freeze: bool,
    may_load: bool,
    *,
    verify: bool,
) -> Wishes:
    from hopcost.measure.protocols.versus.find import Wishes, read_named

    if method is not None and TOKEN.fullmatch(method) is None:
        raise UsageError(f"-m `{method}`: not a method", "like GET or POST")
    for option, path in (("--body-file", body_file), ("--ca", ca_file)):
        if path is not None and not path.is_file():
            raise UsageError(f"{option} {path}: no such file", "a file that exists and may be read")
    if not verify and ca_file is not None:
        raise UsageError("--insecure and --ca", "one of the two: trust anybody, or whom FILE names")
    named = read_named("--pid", pids, len(urls))
    for number, words in named.items():
        for word in words:
            if not word.isdecimal():
                raise UsageError(f"--pid {number}={word}: not a process number", "pgrep -a NAME lists pids")
    return Wishes(
        pids={number: [int(word) for word in words] for number, words in named.items()},
        cgroups=read_named("--cgroup", cgroups, len(urls)),
        freeze=freeze,
        may_load=may_load,
        method=method or ("GET" if body_file is None else "POST"),
        body_file=None if body_file is None else str(body_file.resolve()),
        verify=verify,
        ca_file=None if ca_file is None else str(ca_file.resolve()),
    )


def _with_http2(wishes: Wishes, numbers: list[int], streams: int, urls: int) -> Wishes:
    from msgspec import structs

    for number in numbers:
        if number > urls:
            raise UsageError(f"--http2 {number}: expected the number of a URL, from 1 to {urls}")
    if streams > 1 and not numbers:
        raise UsageError("--streams without --http2", "--http2 2 speaks HTTP/2 with the second URL")
    return structs.replace(wishes, http2=frozenset(numbers))


def _tell(console: Console, prepared: Prepared) -> None:
    """Who is loaded, before anything is; and how their answers differ."""
    from hopcost.errors import printable

    for server in prepared.servers:
        console.print(printable(server.words), markup=False, soft_wrap=True)
    if prepared.answers.difference:
        compared = prepared.answers.expect.compared.value
        what = {"length": "status and length are compared", "status": "the status alone is compared"}[compared]
        console.print(f"their answers differ, so {what}:", style="yellow", markup=False, soft_wrap=True)
        for line in prepared.answers.difference:
            console.print(printable(line), markup=False, soft_wrap=True)
