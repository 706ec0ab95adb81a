"""How a verb reads its words and shows its help, and how all verbs are listed: the library's ways, changed a little."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

from hopcost.cli.shared.verbs import optional_value
from hopcost.cli.shared.verbs.refusals import refuse_verb

GROUPS = {  # of --help, in this order; each is a folder of cli/
    "measure": ("run", "front", "conf", "vs", "capacity", "gate", "load"),
    "look": ("report", "compare", "keep", "history", "serve", "claims", "about", "show"),
    "set_up": ("doctor", "init", "list", "up", "build", "fleet"),
    "more": ("crosscheck", "completion"),
}
PLAIN_RANGES = (  # the library's words for bounds, and ours
    (r"  \[x>=0\]$", ""),
    (r"x>=([\d.]+)", r"at least \1"),
    (r"([\d.]+)<=x<=([\d.]+)", r"\1 to \2"),
)


class Verb(TyperCommand):
    """A verb: options may leave their value out (optional_value.py), and its help names no types."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, optional_value.fill_in(args, self.params))
        except Exception as error:
            if getattr(error, "ctx", self) is None:  # the library has not noted which verb it was
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def get_help(self, ctx: Any) -> str:
        return _as_called(super().get_help(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [re.sub("[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for heading in ("Argument", "Option"):
            params = [param for param in self.get_params(ctx) if param.param_type_name == heading.lower()]
            records = [record for param in params if (record := param.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(f"{heading}s"):
                    formatter.write_dl([plain_record(*record) for record in records])


def plain_record(name: str, words: str) -> tuple[str, str]:
    """What the library says of an argument or an option, without its types and formulas.

    >>> plain_record("RECORD <str>", "A record.  [required]")
    ('RECORD', 'A record.')
    >>> plain_record("-f, --format <text|csv>", "The format.  [default: 6; 2<=x<=100]")
    ('-f, --format text|csv', 'The format.  [default: 6; 2 to 100]')
    """
    if not name.startswith("-"):
        name = name.partition(" <")[0]
    for formula, plain in ((r"  \[required\]$", ""), *PLAIN_RANGES):
        words = re.sub(formula, plain, words)
    return re.sub("[<>]", "", name), words


def _as_called(text: str) -> str:
    """Its commands as they work when they are typed."""
    from hopcost.cli.program import as_called

    return as_called(text)


class Verbs(TyperGroup):
    """All verbs, in groups; a word that is none gets the nearest."""

    def get_help(self, ctx: Any) -> str:
        return _as_called(super().get_help(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # the library's signature
        return [name for names in GROUPS.values() for name in names if name in self.commands]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if not ctx.resilient_parsing and args[0] not in self.commands and not args[0].startswith("-"):
            raise refuse_verb(args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A section for each group, its columns as wide as the others'; the first sentence of each verb's help."""
        verbs = self.list_commands(ctx)
        width = max(map(len, verbs))
        for group, names in GROUPS.items():
            with formatter.section(group.replace("_", " ").capitalize()):
                formatter.write_dl(
                    [
                        (name.ljust(width), (self.commands[name].help or "").partition("\n")[0])
                        for name in names
                        if name in verbs
                    ]
                )
