"""`hopcost run`: a suite into a record, and its report."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopcost.cli.shared import complete
from hopcost.cli.shared.arguments import Details, read_parts
from hopcost.cli.shared.elsewhere import Address, KnownHosts, On, SshKey, read_elsewhere, run_on_stacks_machine
from hopcost.cli.shared.history import Keep, KeepRecord, Labels, ready_to_keep
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.errors import UsageError
from hopcost.plan.method import METHOD
from hopcost.plan.until import Until
from hopcost.suites.peer_name import PeerName

if TYPE_CHECKING:
    from hopcost.measure.fleet.ssh.names import Elsewhere
    from hopcost.plan.options import RunOptions
    from hopcost.report import Part

LEAST_PRECISION = 0.05  # per cent
LEAST_SOAK_S = 10.0
LINE = 80  # columns
FULL_TIME = f"{METHOD.full_time_s / 60:g}m, or {METHOD.full_s_per_weight / 60:g}m per experiment if that is more"
SHARE, LARGER_SHARE = METHOD.open_loop_shares

EPILOG = examples(
    "hopcost run nginx-go --quick",
    "hopcost run nginx-go one-core --time 10m",
    "hopcost run hello/one-core --precision 1% --rate 2000",
    "hopcost run hello/one-core --until decided --decide fasthttp",
    "hopcost run nginx-go --as-published --scale 0.1",
    "hopcost run ./my-suite.toml --record records/before",
    then="Without a SUITE it lists them. On a terminal it shows what is known so far; elsewhere it writes a line for"
    " each step.",
)


@app.command("run", epilog=EPILOG)
def run(
    suite: Annotated[
        str | None,
        typer.Argument(
            metavar="SUITE",
            help="A suite's name, or the path of a TOML file. SUITE/EXPERIMENT runs one experiment,"
            " SUITE/EXPERIMENT@VALUE one point of a sweep.",
            autocompletion=complete.suites,
            show_default=False,
        ),
    ] = None,
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXPERIMENT",
            help="Only these experiments; all when none is named.",
            autocompletion=complete.experiments,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first answer in under three minutes, with wider ranges.")
    ] = False,
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="TIME",
            help=f"Longest time for all of it, as 90, 90s, 5m or 1h. [default: {FULL_TIME}; with --quick"
            f" {METHOD.quick_time_s:g}s]",
        ),
    ] = None,
    precision: Annotated[
        str,
        typer.Option(
            "--precision", metavar="PERCENT", help="The run ends once every ratio is known to ± this much, as 1% or 1."
        ),
    ] = f"{100 * METHOD.precision:g}%",
    margin: Annotated[
        str,
        typer.Option("--margin", metavar="PERCENT", help="Smaller differences count as no difference."),
    ] = f"{100 * METHOD.min_margin:g}%",
    until: Annotated[
        Until,
        typer.Option(
            "--until",
            help="What ends the run before its time: ratios as narrow as --precision says, or that it is decided which"
            " stacks are faster and which are slower.",
        ),
    ] = Until.PRECISION,
    decide: Annotated[
        list[str] | None,
        typer.Option(
            "--decide", metavar="ARM", help="With --until decided: ask about this stack; repeat it. [default: all]"
        ),
    ] = None,
    rates: Annotated[
        list[float] | None,
        typer.Option(
            "--rate",
            metavar="R",
            min=0.1,
            max=10_000_000,
            help="Your load: offer all stacks R requests per second; repeat it for more loads."
            f" [default: {SHARE:.0%} of what the slowest can do]",
        ),
    ] = None,
    loads: Annotated[
        int,
        typer.Option(
            "--loads",
            metavar="N",
            min=1,
            max=len(METHOD.open_loop_shares),
            help=f"How many loads are offered: the second is {LARGER_SHARE:.0%} of what the slowest can do.",
        ),
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one]"),
    ] = None,
    soak_length: Annotated[
        str | None,
        typer.Option(
            "--soak-length", metavar="TIME", help="Length of each soak, as 90s, 5m or 1h. [default: as the time goes]"
        ),
    ] = None,
    generator: Annotated[
        PeerName | None,
        typer.Option("--generator", help="Another load generator loads the stacks; its own counts are reported."),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published", help="As the article did it: its tool, connections and repeats, one stack after another."
        ),
    ] = False,
    scale: Annotated[
        float,
        typer.Option(
            "--scale", metavar="F", min=0.0001, max=1, help="With --as-published: this share of its requests."
        ),
    ] = 1.0,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Measure beside other programs too; then there are no verdicts."),
    ] = False,
    fleet: Annotated[
        Path | None,
        typer.Option(
            "--fleet", metavar="HOSTS.TOML", help="Measure blocks on all sites of this file; hopcost fleet checks them."
        ),
    ] = None,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="With --fleet: sites that are not alike too; then there are no verdicts.")
    ] = False,
    on: On = None,
    address: Address = None,
    ssh_key: SshKey = None,
    known_hosts: KnownHosts = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Where the record goes. [default: records/TIME-SUITE]"),
    ] = None,
    keep: Keep = None,
    labels: Labels = None,
    details: Details = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors and the report, and nothing while it runs.")
    ] = False,
) -> int:
    """Measure a suite's stacks side by side, and report what differs.

    It starts them, checks that they all send the same answer, and loads them in turns.
    """
    from hopcost.cli.shared.arguments import read_percent, read_seconds
    from hopcost.plan.options import RunOptions
    from hopcost.stacks.sandbox import network

    if suite is None:
        raise _which_suite()
    parts = read_parts(details)
    elsewhere = read_elsewhere(on, address, ssh_key, known_hosts)
    if fleet is not None and elsewhere is not None:
        raise UsageError("--fleet and --on", "hosts.toml names the generators' machines")
    if mixed and fleet is None:
        raise UsageError("--mixed: without --fleet there are no sites", "--fleet hosts.toml")
    if elsewhere is not None and elsewhere.stacks is not None:
        return run_on_stacks_machine(elsewhere, suite, record)
    if elsewhere is None and fleet is None:  # else a namespace of its own would hide the network to other machines
        network.enter_user_namespace()  # may start this command again: before the heavy imports
    if generator is not None and as_published:
        raise UsageError("--generator and --as-published", "the article's protocol names its tool itself")
    if scale != 1 and not as_published:
        raise UsageError("--scale: without --as-published there is nothing to scale", "--time sets the time")
    if decide and until is not Until.DECIDED:
        raise UsageError("--decide: without --until decided no stack is waited for", "add --until decided")
    if rates and loads > 1:
        raise UsageError("--rate and --loads", "--rate names the loads itself; repeat it")
    options = RunOptions(
        quick=quick,
        time_s=None if time is None else read_seconds("--time", time),
        seed=seed,
        folder=record,
        soak_length_s=None if soak_length is None else read_seconds("--soak-length", soak_length, LEAST_SOAK_S),
        peer=None if generator is None else generator.value,
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
        on_mixed_hosts=mixed,
    )
    return _measure_and_report(suite, experiments or [], options, parts, elsewhere, fleet, ready_to_keep(keep, labels))


def _which_suite() -> UsageError:
    """The suites that there are, for a person who named none."""
    from hopcost.suites import read

    names = read.shipped_suites()
    width = max(map(len, names))
    lines = [
        textwrap.fill(
            read.read_suite(name).title,
            LINE,
            initial_indent=f"  {name:<{width}}  ",
            subsequent_indent=" " * (width + 4),
        )
        for name in names
    ]
    return UsageError("\n".join(["hopcost run needs a suite", *lines]), "hopcost run nginx-go --quick")


def _measure_and_report(
    name: str,
    experiments: list[str],
    options: RunOptions,
    parts: list[Part],
    elsewhere: Elsewhere | None,
    fleet: Path | None,
    keep_record: KeepRecord,
) -> int:
    """The exit code."""
    from rich.console import Console

    from hopcost.cli.shared.ending import end_with, ending_of, has_verdict
    from hopcost.cli.shared.output import show
    from hopcost.cli.shared.screen import Screen, refuse_nothing
    from hopcost.errors import Interrupted
    from hopcost.measure.run import measure
    from hopcost.report.record_report import document
    from hopcost.statistics.summary import summary
    from hopcost.suites import names, read

    console = Console(stderr=True, highlight=False, quiet=options.quiet)
    name, first = names.choose(name)
    suite, chosen = read.read_suite(name), [*first, *experiments]
    for experiment in chosen:
        suite.experiment(experiment)
    measured = measure(suite, chosen, options, Screen(console), elsewhere=elsewhere, fleet=fleet)
    record = measured.record
    if measured.interrupted:
        refuse_nothing(console, record)
    summaries = summary.summarise(record)
    show(document(record, summaries, parts), ends_with_answers=not parts)
    if measured.interrupted:
        raise Interrupted("the report tells the results so far")
    keep_record(record.path)
    return end_with(ending_of(record, well=measured.well, is_answered=has_verdict(summaries)))
