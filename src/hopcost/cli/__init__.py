"""The command line: parse, call, print. One module per verb.

Heavy imports wait inside the verbs, so that --help answers at once.
"""

from __future__ import annotations

import os
import pkgutil
import signal
import sys
from importlib import import_module

import typer

from hopcost.cli.shared.app import COMPLETION, app, fail, know_shells
from hopcost.errors import HopcostError

INTERRUPTED = 130  # 128 + SIGINT, as shells have it


@app.command(
    "load",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    short_help="Load a URL with hopcost's own engine (hopcost load --help).",
)
def _load(context: typer.Context) -> None:
    """Load a URL with hopcost's own engine."""
    from hopcost.generators import engine

    engine.handed_over(context.args)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the verb; errors become one clear line with a hint, and the exit code of their kind."""
    if sys.argv[1:2] == ["load"]:  # the engine's own command: the stub above is for --help
        from hopcost.generators import engine

        sys.exit(_guarded(lambda: engine.handed_over(sys.argv[2:])))
    for verb in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{verb.name}")
    app.registered_commands.sort(key=lambda verb: verb.name or "")
    if COMPLETION in os.environ:
        know_shells()
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    sys.exit(_guarded(lambda: app(standalone_mode=False)))


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
