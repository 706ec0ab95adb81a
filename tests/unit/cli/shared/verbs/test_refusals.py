"""What the library refuses, in our words."""

from __future__ import annotations

import pytest
import typer

from hopcost import cli
from hopcost.cli.shared.verbs.app import app
from hopcost.cli.shared.verbs.refusals import OTHER_OPTIONS, OTHER_VERBS, in_our_words
from hopcost.cli.shared.verbs.verb import GROUPS


def refused(verb: str, *words: str) -> tuple[str, str | None]:
    """Message and hint for a verb's words."""
    cli.load_verbs()
    group = typer.main.get_command(app)
    with pytest.raises(Exception) as caught:
        group.commands[verb].make_context(f"hopcost {verb}", list(words))  # type: ignore[attr-defined]
    error = in_our_words(caught.value)
    return error.message, error.hint


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("run nginx-go --qick", "hopcost run has no option --qick", "did you mean '--quick'?"),
        ("run nginx-go --duration 10", "hopcost run has no option --duration", "did you mean '--time TIME'?"),
        ("report latest --duration 10", "hopcost report has no option --duration", "hopcost report --help lists them"),
        ("run nginx-go --seed x", None, "hopcost run --help"),
        ("run nginx-go --until soon", "--until: 'soon' is not one of 'precision', 'decided'", "hopcost run --help"),
        (
            "report latest --format pdf",
            "--format: 'pdf' is not one of 'text', 'markdown', 'csv'",
            "hopcost report --help",
        ),
        ("report", "hopcost report needs RECORD", "like hopcost report latest"),
        ("report latest -o", None, "hopcost report --help"),
        ("report latest another", None, "hopcost report --help"),
    ],
)
def test_the_hint_is_what_to_type_next(line: str, message: str | None, hint: str) -> None:
    verb, *words = line.split()
    said, hinted = refused(verb, *words)
    assert hinted == hint
    assert message is None or said == message
    assert "Value error" not in said and not said.endswith(".") and not said[0].isupper()


def test_words_of_other_tools_stand_for_words_of_ours() -> None:
    cli.load_verbs()
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    verbs = {verb for group in GROUPS.values() for verb in group}
    options = {name for command in commands.values() for param in command.params for name in param.opts}
    assert {verb for verb in OTHER_VERBS.values() if not verb.startswith("--")} <= verbs
    assert set(OTHER_OPTIONS.values()) <= options
