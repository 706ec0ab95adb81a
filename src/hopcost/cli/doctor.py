"""`hopcost doctor`: what this machine is, and what would spoil a measurement."""

from __future__ import annotations

from hopcost.cli import app


@app.command("doctor")
def doctor() -> int:
    """Say what this machine is and what would spoil a measurement; exit code 3 when something makes it impossible."""
    from rich.console import Console
    from rich.text import Text

    from hopcost import machine
    from hopcost.doctor import Level, examine

    console = Console(highlight=False)
    facts = machine.facts()
    console.print(
        Text(f"{facts['cpu']}; {facts['system']}, kernel {facts['kernel']}, {facts['architecture']}"), soft_wrap=True
    )
    styles = {Level.PASS: "green", Level.WARN: "yellow", Level.FAIL: "red"}
    findings = examine()
    for finding in findings:
        line = Text(f"{finding.level.value}  ", style=styles[finding.level]).append(finding.what, style="default")
        console.print(line, soft_wrap=True)
        if finding.remedy:
            console.print(Text(f"      hint: {finding.remedy}"), soft_wrap=True)
    return 3 if any(finding.level is Level.FAIL for finding in findings) else 0
