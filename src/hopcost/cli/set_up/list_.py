"""`hopcost list`: suites, experiments, programs."""

from __future__ import annotations

from hopcost.cli.shared.verbs.app import app, examples

EPILOG = examples("hopcost list", "hopcost list | less")


@app.command("list", epilog=EPILOG)
def list_() -> None:
    """List suites with their experiments, and installed programs."""
    from hopcost.cli.shared.output import show_line
    from hopcost.programs.read import read_program, shipped_programs
    from hopcost.programs.receipt import installed
    from hopcost.suites import read

    print("suites")
    for name in read.shipped_suites():
        content = read.read_suite(name)
        show_line(f"{name}: {content.title}", "  ", after="      ")
        for experiment in content.experiments:
            show_line(f"{experiment.name}: {experiment.question}", "    ", after="        ")
            show_line(f"stacks: {', '.join(experiment.arms)}", "      ", after="        ")
    print("programs")
    for name in shipped_programs():
        receipt = installed(name)
        if receipt.version is not None:
            show_line(f"{name} {receipt.version}: {read_program(name).title} ({receipt.path})", "  ", after="      ")
        else:
            show_line(f"{name}: {receipt.missing}; hint: {receipt.remedy}", "  ", after="      ")
