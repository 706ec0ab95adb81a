"""The application that every verb registers with, its groups of verbs, and the errors it prints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import typer

from hopcost.cli.shared.verbs.verb import Verb, Verbs
from hopcost.errors import EXIT_CODES, HopcostError, printable

F = TypeVar("F", bound=Callable[..., Any])

COMPLETION = "_HOPCOST_COMPLETE"  # in the environment: a shell asks for words, and the command line's library answers


def examples(*commands: str, then: str = "") -> str:
    """The end of a verb's help: commands one below the other, then a paragraph."""
    lines = "\n".join(f"  {command}" for command in commands)
    return f"\b\nExamples:\n{lines}" + (f"\n\n{then}" if then else "")


class App(typer.Typer):
    """Every command is a `Verb`."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[F], F]:
        return super().command(name, cls=Verb, **settings)


app = App(
    name="hopcost",
    cls=Verbs,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    subcommand_metavar="VERB …",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Measure what every hop in front of a web application costs.",
    epilog=examples(
        "hopcost doctor",
        "hopcost run nginx-go --quick",
        "hopcost report latest --html",
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
    """Print an error with its hint, secrets masked; its exit code."""
    from hopcost.cli.program import as_called
    from hopcost.record.secrets import mask_text

    print(f"error: {printable(mask_text(as_called(error.message)))}", file=sys.stderr)
    if error.hint:
        print(f"hint: {printable(mask_text(as_called(error.hint)))}", file=sys.stderr)
    return error.exit_code
