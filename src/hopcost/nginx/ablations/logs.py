"""Logs: what writing a line for each request costs, and what writing many at once saves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.make import append_argument, set_argument, set_arguments
from hopcost.nginx.tree import Directive, inside

BUFFER = "buffer=64k flush=5s"
TALKATIVE = frozenset({"debug", "info", "notice"})
UNBUFFERED = re.compile(r"syslog:|\|")


def find(context: Context) -> Iterator[Ablation]:
    """The access log off, the access log in pieces, and an error log that says less."""
    logs = [log for log in context.all_of("access_log") if log.directive.first not in ("off", "")]
    lines = [directive for directive, _ in logs]
    if lines:
        yield context.make(
            "access-log-off",
            "access_log off",
            lines,
            _off(context, lines),
            receipt=Receipt.LOG,
            buys="a line for each request",
        )
    elif context.in_effect("access_log") is None:
        yield context.make(
            "access-log-off",
            "access_log off (it is on by default)",
            [context.site.server],
            context.added("access_log off;"),
            receipt=Receipt.LOG,
            buys="a line for each request",
        )
    plain = [line for line in lines if _can_be_buffered(line)]
    if plain:
        yield context.make(
            "access-log-buffer",
            f"access_log {BUFFER}",
            plain,
            [_buffered(line) for line in plain],
            is_offered=True,
            receipt=Receipt.LOG,
            buys="costs: a line may come 5 s late, and a crash loses the last ones",
        )
    talkative = [
        directive
        for directive, _ in context.all_of("error_log")
        if directive.args[1:2] and directive.args[1] in TALKATIVE
    ]
    if talkative:
        yield context.make(
            "error-log-warn",
            f"error_log {talkative[0].args[1]} → warn",
            talkative,
            [set_argument(line, 1, "warn") for line in talkative],
            is_offered=True,
            receipt=Receipt.LOG,
            buys="details of each connection",
        )


def _off(context: Context, lines: list[Directive]) -> list[Edit]:
    """The first log of each block says `off`, the others of the block go: nginx takes no `off` beside a log."""
    edits: list[Edit] = []
    done: set[int] = set()
    for log in context.all_of("access_log"):
        if log.directive not in lines:
            continue
        block = id(log.parents[-1]) if log.parents else 0
        siblings = [line for line in inside(log.parents[-1]) if line.name == "access_log"] if log.parents else []
        if block in done or any(line.first == "off" for line in siblings):
            edits += context.removed([log.directive])
        else:
            edits.append(set_arguments(log.directive, "off"))
            done.add(block)
    return edits


def _can_be_buffered(line: Directive) -> bool:
    words = " ".join(line.args)
    return not UNBUFFERED.match(line.first) and "$" not in line.first and "buffer=" not in words and "gzip" not in words


def _buffered(line: Directive) -> Edit:
    """A buffer needs the format to be named before it."""
    has_format = len(line.args) > 1 and "=" not in line.args[1]
    if has_format or len(line.args) == 1:
        return append_argument(line, BUFFER if has_format else f"combined {BUFFER}")
    return set_argument(line, 0, f"{line.first} combined {BUFFER}")
