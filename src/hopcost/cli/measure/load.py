"""`hopcost load`: a URL under the load engine alone. The engine has its own command line; `main` hands over to it."""

from __future__ import annotations

import typer

from hopcost.cli.shared.verbs.app import app


@app.command(
    "load",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def load(context: typer.Context) -> None:
    """Load a URL with hopcost's own engine."""
    from hopcost.cli.program import program
    from hopcost.programs.generators import engine

    engine.handed_over(context.args, program())
