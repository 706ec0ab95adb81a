"""The command line: parse, call, print. One module per verb, in a folder for each group of `--help`.

Heavy imports wait inside the verbs, so that --help answers at once.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module

import typer

from hopcost.cli.interrupts import take_interrupts
from hopcost.cli.shared.verbs.app import COMPLETION, app, fail, know_shells
from hopcost.cli.shared.verbs.refusals import in_our_words
from hopcost.cli.shared.verbs.verb import GROUPS
from hopcost.errors import HopcostError, Interrupted

INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main() -> None:
    """Run the verb; errors become one clear line with a hint, and the exit code of their kind."""
    if sys.argv[1:2] == ["load"]:  # the engine's own command, without the time that reading all verbs takes
        from hopcost.cli.program import program
        from hopcost.programs.generators import engine

        sys.exit(_guarded(lambda: engine.handed_over(sys.argv[2:], program())))
    load_verbs()
    if COMPLETION in os.environ:
        know_shells()
    take_interrupts()
    sys.exit(_guarded(lambda: app(sys.argv[1:] or ["--help"], standalone_mode=False)))


def load_verbs() -> None:
    """Import the module of every verb, which registers it with the application."""
    for group in GROUPS:
        package = import_module(f"{__name__}.{group}")
        for verb in pkgutil.iter_modules(package.__path__):
            import_module(f"{package.__name__}.{verb.name}")


def _guarded(call: Callable[[], object]) -> int:
    try:
        returned = call()
        sys.stdout.flush()
        if returned == INTERRUPTED:  # the command line's library makes an exit code of it
            raise KeyboardInterrupt
        return returned if isinstance(returned, int) else 0
    except Interrupted as told:
        return told.exit_code
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
            return fail(in_our_words(error))
        raise
