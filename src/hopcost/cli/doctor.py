"""`hopcost doctor`: what this machine is, and what would spoil a measurement."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared.app import app, examples

EPILOG = examples("hopcost doctor", "hopcost doctor --spread", "hopcost doctor --clean")


def _clean() -> int:
    """Remove what dead runs have left, and print it; 1 if something is still there. Living runs are never touched."""
    from hopcost.stacks.sandbox import leftovers

    for leftover in leftovers.remove_leftovers():
        print(f"removed: {leftover.kind.value} {leftover.what}")
    left = leftovers.find_leftovers()
    for leftover in left:
        print(f"could not be removed: {leftover.kind.value} {leftover.what}")
    if not left:
        print("nothing is left of dead runs")
    return 1 if left else 0


@app.command("doctor", epilog=EPILOG)
def doctor(
    clean: Annotated[
        bool, typer.Option("--clean", help="Only remove what dead runs have left: processes, cgroups, directories.")
    ] = False,
    spread: Annotated[
        bool,
        typer.Option(
            "--spread",
            help="Also measure for 10 s how far apart slices of the same server are, and say how long ±3 % will take.",
        ),
    ] = False,
) -> int:
    """Say what this machine is and what would spoil a measurement; exit code 3 when something makes it impossible."""
    if clean:
        return _clean()
    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # as a run would; may start this command again
    from rich.console import Console
    from rich.text import Text

    from hopcost.cli.shared.findings import examine
    from hopcost.machine import facts as machine_facts
    from hopcost.machine import other_load
    from hopcost.machine.doctor import Level

    console = Console(highlight=False)
    facts = machine_facts.facts()
    console.print(Text(f"{facts.cpu}; {facts.system}, kernel {facts.kernel}, {facts.architecture}"), soft_wrap=True)
    styles = {Level.PASS: "green", Level.WARN: "yellow", Level.FAIL: "red"}
    findings = examine(other_load.watch())
    for finding in findings:
        line = Text(f"{finding.level.value}  ", style=styles[finding.level]).append(finding.what, style="default")
        console.print(line, soft_wrap=True)
        if finding.remedy:
            console.print(Text(f"      hint: {finding.remedy}"), soft_wrap=True)
    if any(finding.level is Level.FAIL for finding in findings):
        return 3
    if spread:
        from hopcost.measure.protocols import spread as doctor_spread
        from hopcost.statistics.questions import machine_spread

        for words in machine_spread.words(doctor_spread.measure_spread()):
            console.print(words, soft_wrap=True)
    return 0
