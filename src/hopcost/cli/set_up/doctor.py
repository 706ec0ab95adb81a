"""`hopcost doctor`: what this machine is, what would spoil a measurement, and what hopcost has put on it."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared.verbs.app import app, examples

WIDTH = 6  # of the column of levels
EPILOG = examples("hopcost doctor", "hopcost doctor --spread", "hopcost doctor --left", "hopcost doctor --clean")


def _clean(yes: bool) -> int:
    """Remove what dead runs left and the cache, after a question; 1 if something is still there.

    What belongs to a living run is never touched.
    """
    import sys

    from hopcost.cli.shared.doctor import left
    from hopcost.errors import UsageError
    from hopcost.stacks.sandbox import leftovers

    cache = left.cache_line()
    there = [*map(left.leftover_line, leftovers.find_leftovers()), *([cache] if cache else [])]
    if not there:
        print("nothing to remove")
        return 0
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("--clean asks before it removes, and this is no terminal", "--yes removes without asking")
        print(*there, sep="\n")
        if not typer.confirm("Remove this?"):
            print("nothing was removed")
            return 0
    for leftover in leftovers.remove_leftovers():
        print(f"removed: {leftover.kind.value} {leftover.what}")
    remains = [f"{leftover.kind.value} {leftover.what}" for leftover in leftovers.find_leftovers()]
    if cache:
        remains += _clean_cache()
    for what in remains:
        print(f"could not be removed: {what}")
    return 1 if remains else 0


def _clean_cache() -> list[str]:
    """Remove the cache; what is left of it, with the reason."""
    from hopcost.programs.build import cache as build_cache

    place = build_cache.cache_folder()
    try:
        if not build_cache.remove():
            return [f"cache {place}: a living run uses it"]
    except OSError as error:
        return [f"cache {place}: {error.strerror}"]
    print(f"removed: cache {place}")
    return []


@app.command("doctor", epilog=EPILOG)
def doctor(
    left: Annotated[bool, typer.Option("--left", help="Only list what hopcost has put on this machine.")] = False,
    clean: Annotated[
        bool,
        typer.Option(
            "--clean", help="Only remove what dead runs left (processes, cgroups, folders) and the cache; asks first."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --clean: do not ask.")] = False,
    spread: Annotated[
        bool,
        typer.Option(
            "--spread",
            help="Also measure for 10 s how much this machine's speed varies, and say how long ±3 % will take.",
        ),
    ] = False,
) -> int:
    """Say what this machine is, and what would spoil a measurement.

    Exit code 3 if something makes it impossible.
    """
    from hopcost.errors import UsageError

    if yes and not clean:
        raise UsageError("--yes: without --clean there is nothing to remove", "add --clean")
    if left:
        from hopcost.cli.shared.doctor.left import lines
        from hopcost.cli.shared.output import columns

        print(*lines(columns()), sep="\n")
        if not clean:
            return 0
    if clean:
        return _clean(yes)
    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # as a run would; may start this command again
    from rich.console import Console
    from rich.text import Text

    from hopcost.cli.program import as_called
    from hopcost.cli.shared.doctor.findings import examine
    from hopcost.cli.shared.output import columns, show_line
    from hopcost.machine import facts as machine_facts
    from hopcost.machine import other_load
    from hopcost.machine.doctor import Level
    from hopcost.report.formats.text.wrapping import wrap

    console = Console(highlight=False)
    facts = machine_facts.facts()
    show_line(f"{facts.cpu}; {facts.system}, kernel {facts.kernel}, {facts.architecture}")
    styles = {Level.PASS: "green", Level.WARN: "yellow", Level.FAIL: "red"}
    findings = examine(other_load.watch())
    for finding in findings:
        for number, words in enumerate(wrap(as_called(finding.what), columns() - WIDTH)):
            level = finding.level.value if number == 0 else ""
            line = Text(level.ljust(WIDTH), style=styles[finding.level]).append(words, style="default")
            console.print(line, soft_wrap=True)
        if finding.remedy:
            show_line(f"hint: {finding.remedy}", " " * WIDTH)
    if any(finding.level is Level.FAIL for finding in findings):
        return 3
    if spread:
        from hopcost.measure.protocols import spread as doctor_spread
        from hopcost.statistics.questions import machine_spread

        for words in machine_spread.words(doctor_spread.measure_spread()):
            show_line(words)
    return 0
