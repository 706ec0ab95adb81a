"""The options that say how a person's app is started, as the structure of a suite."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from hopcost.cli.shared.arguments import read_seconds
from hopcost.errors import UsageError
from hopcost.suites.arms.app import App


def read_app(
    command: list[str],
    folder: Path,
    port: int | None,
    environment: Iterable[str],
    needs: list[str],
    ready: str | None = None,
) -> App:
    """The app as it is started in its folder; UsageError for a variable or a time that is none."""
    return App(
        command=command,
        folder=str(folder),
        port=port,
        environment=dict(map(_read_variable, environment)),
        needs=needs,
        ready_s=None if ready is None else read_seconds("--ready", ready),
    ).from_folder(folder)


def read_folder(folder: Path | None) -> Path:
    """Where the app is started, in full; the current one if none is given. UsageError if there is none."""
    path = (folder or Path()).resolve()
    if not path.is_dir():
        raise UsageError(f"--folder: {path} is no directory", "the folder that your app is started in")
    return path


def read_command(option: str, text: str, example: str) -> list[str]:
    """The words of a command in one word; UsageError for none, or for a quote without its end.

    >>> read_command("--app", "node 'my server.js'", "node server.js")
    ['node', 'my server.js']
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}", "words as in a shell, in quotes") from error
    if not words:
        raise UsageError(f"{option}: no command", f"like {option} '{example}'")
    return words


def own_options_behind(command: Sequence[str], own_options: Collection[str], argv: Sequence[str]) -> list[str]:
    """Words of an app's command that look like hopcost's own options, if no -- before it says that they are not.

    >>> argv = ["hopcost", "front", "node", "server.js", "--quick"]
    >>> own_options_behind(argv[2:], ["--quick", "--time"], argv)
    ['--quick']
    >>> own_options_behind(argv[2:], ["--quick", "--time"], [*argv[:2], "--", *argv[2:]])
    []
    """
    if argv[-len(command) - 1] == "--":
        return []
    return [word for word in command if word.startswith("--") and word.partition("=")[0] in own_options]


def _read_variable(text: str) -> tuple[str, str]:
    """`NAME=VALUE`. What is refused is told without the value, which may be a secret.

    >>> _read_variable("DATABASE_URL=postgres://localhost/db?a=b")
    ('DATABASE_URL', 'postgres://localhost/db?a=b')
    """
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise UsageError(f"--env: expected NAME=VALUE, got '{name}'", "like --env DATABASE_URL=postgres://localhost/db")
    return name, value
