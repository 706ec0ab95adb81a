"""`hopcost run`: a suite into a record, and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.app import app, examples
from hopcost.plan.method import METHOD
from hopcost.plan.until import Until
from hopcost.suites.peer_name import PeerName

if TYPE_CHECKING:
    from hopcost.plan.options import RunOptions

LEAST_PRECISION = 0.05  # per cent

EPILOG = examples(
    "hopcost run nginx-go --quick",
    "hopcost run nginx-go one-core --time 10m --seed 7",
    "hopcost run nginx-express/gzip@1000",
    "hopcost run hello/one-core --precision 1% --rate 2000",
    "hopcost run hello/one-core --until decided --decide fasthttp",
    "hopcost run nginx-go --as-published --scale 0.1",
    "hopcost run ./my-suite.toml --record records/before",
    "hopcost run hello --quick --quiet > hello.txt",
    then="On a terminal it shows what is known so far; elsewhere it writes a line for each block.",
)


@app.command("run", epilog=EPILOG)
def run(
    suite: Annotated[
        str,
        typer.Argument(
            metavar="SUITE",
            help="A suite's name (see hopcost list), or the path of a TOML file; SUITE/EXPERIMENT and"
            " SUITE/EXPERIMENT@VALUE run one experiment, or one point of a sweep.",
            autocompletion=complete.suites,
        ),
    ],
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXPERIMENT",
            help="Only these experiments; all when none is named.",
            autocompletion=complete.experiments,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first answer in under three minutes; says how narrow its intervals got.")
    ] = False,
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="TIME",
            help="Time for all experiments, starting programs included: 90, 90s, 5m or 1h."
            f" [default: {METHOD.full_time_s:g} s, or {METHOD.full_s_per_weight:g} s for each of weight 1; with --quick"
            f" {METHOD.quick_time_s:g} s]",
        ),
    ] = None,
    until: Annotated[
        Until,
        typer.Option(
            "--until",
            help="What ends the run before its time: every ratio is as narrow as --precision says, or it is decided"
            " which arms are faster and which are slower.",
        ),
    ] = Until.PRECISION,
    decide: Annotated[
        list[str] | None,
        typer.Option(
            "--decide", metavar="ARM", help="With --until decided: ask about this arm; repeat it. [default: all arms]"
        ),
    ] = None,
    rates: Annotated[
        list[float] | None,
        typer.Option(
            "--rate",
            metavar="R",
            min=0.1,
            max=10_000_000,
            help="Offer all arms R requests per second after the closed loop; repeat it for more loads."
            f" [default: {METHOD.open_loop_shares[0]:.0%} of what the slowest arm can do]",
        ),
    ] = None,
    loads: Annotated[
        int,
        typer.Option(
            "--loads",
            metavar="N",
            min=1,
            max=len(METHOD.open_loop_shares),
            help=f"Offered loads: with 2 also {METHOD.open_loop_shares[1]:.0%} of what the slowest arm can do.",
        ),
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one, recorded]"),
    ] = None,
    soak_length: Annotated[
        float | None,
        typer.Option(
            "--soak-length", metavar="SECONDS", min=10, help="Length of each soak. [default: as the time goes]"
        ),
    ] = None,
    peer: Annotated[
        PeerName | None,
        typer.Option(
            "--peer", help="Another load generator drives the arms, one at a time; its own counts are reported."
        ),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published", help="Follow the article's own protocol: its tool, connections, repeats, arm after arm."
        ),
    ] = False,
    scale: Annotated[
        float,
        typer.Option(
            "--scale", metavar="F", min=0.0001, max=1, help="With --as-published: this share of its requests."
        ),
    ] = 1.0,
    precision: Annotated[
        str,
        typer.Option(
            "--precision",
            metavar="PERCENT",
            help="How narrow every ratio is to be: ± this much. The run ends as soon as all are, or with its time."
            f" [default: {100 * METHOD.precision:g}%]",
            show_default=False,
        ),
    ] = f"{100 * METHOD.precision:g}%",
    margin: Annotated[
        str,
        typer.Option(
            "--margin",
            metavar="PERCENT",
            help=f"A difference up to this much counts as none. [default: {100 * METHOD.min_margin:g}%]",
            show_default=False,
        ),
    ] = f"{100 * METHOD.min_margin:g}%",
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway",
            help="Count blocks that the hypervisor or other programs disturbed; figures come without verdicts then.",
        ),
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/<UTC time>-<suite>]"),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors and the report only, nothing while it runs.")
    ] = False,
) -> int:
    """Start a suite's stacks, check that they answer alike, load them in shuffled slices, report what differs."""
    from hopcost.cli.shared.arguments import read_percent, read_seconds
    from hopcost.errors import UsageError
    from hopcost.plan.options import RunOptions
    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # may start this command again: before the heavy imports
    if peer is not None and as_published:
        raise UsageError("--peer and --as-published", "the article's protocol names its tool itself")
    if scale != 1 and not as_published:
        raise UsageError("--scale: without --as-published there is nothing to scale", "--time sets the time")
    if decide and until is not Until.DECIDED:
        raise UsageError("--decide: without --until decided no arm is waited for", "add --until decided")
    if rates and loads > 1:
        raise UsageError("--rate and --loads", "--rate names the loads itself; repeat it")
    options = RunOptions(
        quick=quick,
        time_s=None if time is None else read_seconds("--time", time),
        seed=seed,
        folder=record,
        soak_length_s=soak_length,
        peer=None if peer is None else peer.value,
        as_published=as_published,
        scale=scale,
        precision=read_percent("--precision", precision, LEAST_PRECISION),
        margin=read_percent("--margin", margin),
        rates=tuple(dict.fromkeys(rates or [])),
        loads=loads,
        until=until,
        decide=tuple(dict.fromkeys(decide or [])),
        quiet=quiet,
        on_busy_machine=anyway,
    )
    return _measure_and_report(suite, experiments or [], options)


def _measure_and_report(name: str, experiments: list[str], options: RunOptions) -> int:
    """The exit code: 1 if something failed, an experiment could not run here, or the baseline differs from itself."""
    from rich.console import Console

    from hopcost.cli.shared.screen import Screen, report_command
    from hopcost.measure.run import measure
    from hopcost.report import text
    from hopcost.report.record_report import document
    from hopcost.statistics.summary import summary
    from hopcost.suites import read

    console = Console(stderr=True, highlight=False, quiet=options.quiet)
    name, first = read.choose(name)
    suite, chosen = read.read_suite(name), [*first, *experiments]
    for experiment in chosen:
        suite.experiment(experiment)
    measured = measure(suite, chosen, options, Screen(console))
    record = measured.record
    summaries = summary.summarise(record)
    text.show(document(record, summaries))
    console.print(f"\nrecord: {record.path}  (again: {report_command(record.path)})", soft_wrap=True)
    if measured.interrupted:
        raise KeyboardInterrupt
    is_biased = any(experiment.instrument_is_biased for experiment in summaries)
    return 0 if measured.well and not record.plan.left_out and not is_biased else 1
