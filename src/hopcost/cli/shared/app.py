"""The application that every verb registers with, the errors it prints, and the shells it knows."""

from __future__ import annotations

import sys

import typer

from hopcost.errors import EXIT_CODES, HopcostError, printable


def examples(*commands: str, then: str = "") -> str:
    """The end of a verb's help: commands one below the other, then a paragraph."""
    lines = "\n".join(f"  {command}" for command in commands)
    return f"\b\nExamples:\n{lines}" + (f"\n\n{then}" if then else "")


COMPLETION = "_HOPCOST_COMPLETE"  # in the environment: a shell asks for words, and the command line's library answers

app = typer.Typer(
    name="hopcost",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Measure what every hop in front of a web application costs.",
    epilog=examples(
        "hopcost run nginx-go --quick",
        "hopcost report latest",
        then="\b\nExit codes:\n" + "\n".join(f"  {code:<3}  {words}" for code, words in EXIT_CODES.items()),
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        from hopcost import __version__

        print(f"hopcost {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and end."
    ),
) -> None:
    """Options of hopcost itself."""


def know_shells() -> None:
    """Teach the command line's library its shells; it does so by itself only if its own options are shown."""
    from typer.completion import get_completion_inspect_parameters

    get_completion_inspect_parameters()


def fail(error: HopcostError) -> int:
    """Print an error with its hint; its exit code."""
    print(f"error: {printable(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"hint: {printable(error.hint)}", file=sys.stderr)
    return error.exit_code
