"""What the command line's library refuses, in our words and with the next command to type."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from hopcost.errors import UsageError

OTHER_VERBS = {  # what other tools call them
    "bench": "run",
    "benchmark": "run",
    "measure": "run",
    "test": "run",
    "wrk": "load",
    "diff": "compare",
    "versus": "vs",
    "start": "up",
    "config": "show",
    "check": "doctor",
    "version": "--version",
    "help": "--help",
}
OTHER_OPTIONS = {
    "--duration": "--time",
    "--quick": "--time",  # of verbs that have no quick form
    "--threshold": "--margin",
    "--tolerance": "--margin",
    "--markdown": "--format",
    "--csv": "--format",
    "--force": "--anyway",
    "--file": "--output",
}


def refuse_verb(word: str, verbs: Iterable[str]) -> UsageError:
    """No such verb: the nearest one, or the one that other tools call so.

    >>> refuse_verb("bench", ["run", "gate"]).hint, refuse_verb("verson", ["run"]).hint
    ("did you mean 'hopcost run'?", "did you mean 'hopcost --version'?")
    >>> refuse_verb("zzz", ["run", "gate"]).hint
    'hopcost --help lists them: run, gate'
    """
    verbs = list(verbs)
    near = nearest_word(word, verbs, OTHER_VERBS)
    hint = f"did you mean 'hopcost {near}'?" if near else f"hopcost --help lists them: {', '.join(verbs)}"
    return UsageError(f"hopcost has no verb '{word}'", hint)


def nearest_word(word: str, known: Iterable[str], others: dict[str, str]) -> str | None:
    """The known word that is nearest, also by what other tools call it."""
    meanings = {**others, **{word: word for word in known}}
    close = difflib.get_close_matches(word, meanings, n=1, cutoff=0.6)
    return meanings[close[0]] if close else None


def in_our_words(error: Any) -> UsageError:
    """The library's error. Classes are told apart by name: the library keeps them in a private module."""
    context = error.ctx
    path = context.command_path if context else "hopcost"
    command = context.command if context else None
    match type(error).__name__:
        case "NoSuchOption":
            return UsageError(f"{path} has no option {error.option_name}", _option_hint(error.option_name, context))
        case "MissingParameter":
            missing = f"{path} needs {_name(error.param)}"
            return UsageError(missing, f"like {_example(command) or f'{path} --help'}")
        case "BadParameter" if error.param is not None:
            return UsageError(f"{_name(error.param)}: {_plain(error.message)}", f"{path} --help")
        case "BadOptionUsage":  # no value, or one too many
            return UsageError(f"{path}: {_plain(error.message)}", f"{path} --help")
    return UsageError(_plain(error.format_message()), f"{path} --help")


def _name(param: Any) -> str:
    """`--time`; an argument as the help has it."""
    return str(max(param.opts, key=len) if param.param_type_name == "option" else param.metavar or param.name)


def _option_hint(word: str, context: Any) -> str:
    known = {name: param for param in context.command.params for name in param.opts}
    near = nearest_word(word, known, {other: ours for other, ours in OTHER_OPTIONS.items() if ours in known})
    if near is None:
        return f"{context.command_path} --help lists them"
    metavar = known[near].metavar
    return f"did you mean '{near}{f' {metavar}' if metavar else ''}'?"


def _example(command: Any) -> str | None:
    """The first example of a verb's help."""
    example = re.search(r"(?m)^  (hopcost .+)$", command.epilog or "")
    return example[1] if example else None


def _plain(message: str) -> str:
    """A message of the library without the words of the library below it, as ours are written.

    >>> _plain("Value error, 'pdf' is not one of 'text', 'csv'.")
    "'pdf' is not one of 'text', 'csv'"
    >>> _plain("Option '--time' requires an argument.")
    "option '--time' needs a value"
    """
    message = message.removeprefix("Value error, ").rstrip(".").replace("requires an argument", "needs a value")
    return message[:1].lower() + message[1:]
