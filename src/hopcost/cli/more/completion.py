"""`hopcost completion`: the script that makes a shell complete hopcost's words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from hopcost.cli.shared.verbs.app import COMPLETION, app, examples


class Shell(StrEnum):
    """The shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


EPILOG = examples(
    "source <(hopcost completion bash)",
    "hopcost completion bash > ~/.local/share/bash-completion/completions/hopcost",
    "hopcost completion zsh > ~/.zfunc/_hopcost",
    "hopcost completion fish > ~/.config/fish/completions/hopcost.fish",
    then="For zsh, ~/.zshrc must have: fpath+=~/.zfunc; autoload -Uz compinit; compinit",
)


@app.command("completion", epilog=EPILOG)
def completion(
    context: typer.Context, shell: Annotated[Shell, typer.Argument(metavar="bash|zsh|fish", help="The shell.")]
) -> None:
    """Print the script that completes hopcost's words in a shell.

    Verbs, options, suites, experiments, stacks, and records.
    """
    from typer.completion import shell_complete

    from hopcost.cli.shared.verbs.app import know_shells

    know_shells()
    shell_complete(context.find_root().command, {}, "hopcost", COMPLETION, f"source_{shell.value}")
