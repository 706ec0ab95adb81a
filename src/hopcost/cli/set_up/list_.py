"""`hopcost list`: suites, experiments, programs."""

from __future__ import annotations

from hopcost.cli.shared.app import app, examples

EPILOG = examples("hopcost list", "hopcost list | less")


@app.command("list", epilog=EPILOG)
def list_() -> None:
    """List suites with their experiments, and installed programs."""
    from hopcost.programs.read import read_program, shipped_programs
    from hopcost.programs.receipt import installed
    from hopcost.suites import read

    print("suites")
    for name in read.shipped_suites():
        content = read.read_suite(name)
        print(f"  {name}: {content.title}")
        for experiment in content.experiments:
            print(f"    {experiment.name}: {experiment.question}")
            print(f"      arms: {', '.join(experiment.arms)}")
    print("programs")
    for name in shipped_programs():
        receipt = installed(name)
        if receipt.version is not None:
            print(f"  {name} {receipt.version}: {read_program(name).title} ({receipt.path})")
        else:
            print(f"  {name}: {receipt.missing}; hint: {receipt.remedy}")
