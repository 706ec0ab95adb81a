"""The command line: parse, call, print. One module per verb.

Heavy imports wait inside the verbs, so that --help answers at once.
"""

from __future__ import annotations

import os
import signal
import sys

import typer

from hopcost.errors import EXIT_CODES, HopcostError


def examples(*commands: str, then: str = "") -> str:
    """The end of a verb's help: commands one below the other, then a paragraph."""
    lines = "\n".join(f"  {command}" for command in commands)
    return f"\b\nExamples:\n{lines}" + (f"\n\n{then}" if then else "")


INTERRUPTED = 130  # 128 + SIGINT, as shells have it
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


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the verb; errors become one clear line with a hint, and the exit code of their kind."""
    if sys.argv[1:2] == ["load"]:  # the engine's own command, no Python in its way
        from hopcost.generators import engine

        sys.exit(_guarded(lambda: engine.handed_over(sys.argv[2:])))
    from hopcost.cli import (
        build,  # noqa: F401
        claims,  # noqa: F401
        compare,  # noqa: F401
        completion,  # noqa: F401
        crosscheck,  # noqa: F401
        doctor,  # noqa: F401
        gate,  # noqa: F401
        list_,  # noqa: F401
        load,  # noqa: F401
        report,  # noqa: F401
        run,  # noqa: F401
        show,  # noqa: F401
        up,  # noqa: F401
    )

    if COMPLETION in os.environ:
        know_shells()
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    sys.exit(_guarded(lambda: app(standalone_mode=False)))


def know_shells() -> None:
    """Teach the command line's library its shells, as it does by itself only where its own options are wanted."""
    from typer.completion import get_completion_inspect_parameters

    get_completion_inspect_parameters()


def _guarded(call) -> int:  # type: ignore[no-untyped-def]
    try:
        returned = call()
        sys.stdout.flush()
        if returned == INTERRUPTED:  # the command line's library makes an exit code of it
            raise KeyboardInterrupt
        return returned if isinstance(returned, int) else 0
    except HopcostError as error:
        return fail(error)
    except (typer.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # `hopcost report | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if hasattr(error, "format_message"):  # the command line's own errors
            print(f"error: {error.format_message()}", file=sys.stderr)
            context = getattr(error, "ctx", None)
            print(f"hint: {context.command_path if context else 'hopcost'} --help", file=sys.stderr)
            return 2
        raise


def printable(text: str) -> str:
    """Control characters shown as such: what a program printed must not steer the terminal that shows it."""
    import re

    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text)


def fail(error: HopcostError) -> int:
    """Print an error with its hint; its exit code."""
    print(f"error: {printable(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"hint: {printable(error.hint)}", file=sys.stderr)
    return error.exit_code
