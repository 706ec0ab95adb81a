"""`hopcost list`: suites, experiments, programs."""

from __future__ import annotations

from hopcost.cli import app, examples

EPILOG = examples("hopcost list", "hopcost list | less")


@app.command("list", epilog=EPILOG)
def list_() -> None:
    """List suites with their experiments, and programs with what is installed."""
    from hopcost import program, suite

    print("suites")
    for name in suite.names():
        content = suite.load(name)
        print(f"  {name}: {content.title}")
        for experiment in content.experiments:
            print(f"    {experiment.name}: {experiment.question}")
            print(f"      arms: {', '.join(experiment.arms)}")
    print("programs")
    for name in program.names():
        receipt = program.installed(name)
        if receipt.version is not None:
            print(f"  {name} {receipt.version}: {program.load(name).title} ({receipt.path})")
        else:
            print(f"  {name}: {receipt.missing}; hint: {receipt.remedy}")
