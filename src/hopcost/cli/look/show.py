"""`hopcost show`: what stands behind an arm, without starting it."""

from __future__ import annotations

from hopcost.cli.shared.arguments import ArmPath
from hopcost.cli.shared.verbs.app import app, examples

EPILOG = examples("hopcost show hello/one-core/go", "hopcost show nginx-over-2 > behind.txt")


@app.command("show", epilog=EPILOG)
def show(arm: ArmPath) -> None:
    """Print the commands and configuration files behind a stack.

    hopcost up starts them.
    """
    from pathlib import Path

    from hopcost.cli.program import as_called
    from hopcost.cli.shared import description
    from hopcost.cli.shared.arm import find_arm
    from hopcost.stacks.prepare.stack import prepare
    from hopcost.stacks.sandbox.ports import Ports, raise_open_files

    experiment, name, content, cores = find_arm(arm)
    raise_open_files()
    folder = Path("/tmp/hopcost-example")
    prepared = prepare(name, content, experiment.settings, cores, folder, Ports())
    described = description.describe_stack(prepared, folder, experiment.workload, is_running=False)
    print(as_called(described), end="")
