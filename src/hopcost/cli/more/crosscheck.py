"""`hopcost crosscheck`: one arm under every load generator that is here."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared.arguments import ArmPath, Everything, Json, Output, format_option, pick_format
from hopcost.cli.shared.verbs.app import app, examples
from hopcost.report import Format, Source

EPILOG = examples(
    "hopcost crosscheck nginx-go/one-core/go",
    "hopcost crosscheck hello/one-core/nginx --rounds 10 --seconds 3 --json",
    then="Those that are installed: wrk, ab, h2load, oha, hey. docs/explain/other-tools.md explains why they differ.",
)


@app.command("crosscheck", epilog=EPILOG)
def crosscheck(
    arm: ArmPath,
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", min=2, max=100, help="Turns of each generator.")] = 6,
    seconds: Annotated[
        int, typer.Option("--seconds", metavar="N", min=1, max=300, help="Length of a turn, in whole seconds.")
    ] = 2,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffled orders. [default: a new one]")
    ] = None,
    json: Json = False,
    format: Annotated[Format, format_option(Source.DOCUMENT, Source.DATA)] = Format.TEXT,
    output: Output = None,
    details: Everything = False,
) -> None:
    """Load one stack with other generators too: do they agree?

    Our engine and the others take turns.
    """
    import secrets

    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # may start this command again: before the heavy imports
    from rich.console import Console

    from hopcost.cli.shared.arm import running_arm
    from hopcost.cli.shared.output import show_result
    from hopcost.errors import UsageError
    from hopcost.measure.protocols import crosscheck as checking
    from hopcost.report.questions.crosscheck import crosscheck_report
    from hopcost.stacks.awake import keep_awake
    from hopcost.suites import names
    from hopcost.suites.experiments.request import Method

    format = pick_format(format, json=json)
    _, asked, _ = names.locate(arm)
    if asked.workload.mix is not None:
        raise UsageError(
            f"{arm}: other generators send one request, not a mix", "name an arm that is asked one request"
        )
    if asked.workload.method is not Method.GET:
        raise UsageError(f"{arm}: other generators send GET alone here", "name an arm that is asked with GET")
    console = Console(stderr=True, highlight=False)
    with (
        running_arm(arm, "crosscheck", console.print, isolated=True) as (experiment, stack, _),
        console.status(f"loading {arm}") as status,
    ):

        def turn_begins(generator: str, number: int | None) -> None:
            warming_up = f"warming up for {checking.WARM_UP_S} s"
            words = warming_up if number is None else f"round {number + 1} of {rounds}: {generator}"
            if console.is_terminal:
                status.update(words)
            else:
                console.print(words, markup=False)

        answer = checking.run_crosscheck(
            arm,
            stack,
            experiment.workload,
            checking.find_generators(stack, experiment.workload),
            rounds=rounds,
            seconds=seconds,
            seed=secrets.randbits(32) if seed is None else seed,
            idle_cores=keep_awake(),
            turn_begins=turn_begins,
        )
    show_result(crosscheck_report(answer, details=details), format, output)
