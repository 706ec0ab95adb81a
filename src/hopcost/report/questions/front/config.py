"""The configuration to take: clean, for a person's own server, with the evidence beside each line that is worth it."""

from __future__ import annotations

import textwrap
from functools import cache
from pathlib import Path

import jinja2
import msgspec

from hopcost.report.questions.front.words import evidence, shared_reason
from hopcost.statistics.questions.front.advice import Advice, Worth
from hopcost.statistics.questions.front.fronts import Front
from hopcost.statistics.questions.front.result import FrontResult

FOLDER = Path(__file__).parent / "template"
WIDTH = 78  # the text stands behind two spaces
TEMPLATES = {Front.HAPROXY: "haproxy.cfg", Front.CADDY: "Caddyfile"}  # else nginx
SOCKET = "/run/app.sock"
UNKNOWN = "part of the measured stack"
PORT = 3000  # stands for the app's own if that is not known


class Configuration(msgspec.Struct, frozen=True):
    """A file: its name and its text."""

    name: str
    text: str


def configuration(answer: FrontResult) -> Configuration | None:
    """That of the best measured stack; without any verdict nginx, with upstream keepalive if it could be had."""
    best, question = answer.best, answer.question
    if best is None:
        return None
    if shared_reason(answer) is not None:  # nothing has earned a change of the app
        best = Front.NGINX if answer.row(Front.KEEPALIVE.value) is None else Front.KEEPALIVE
    name = TEMPLATES.get(best, "nginx.conf")
    app = question.app
    context = {
        "fastcgi": app.is_fastcgi,
        "script": app.script,
        "keepalive": _has_keepalive(answer, best),
        "connections": app.pool,
        "is_scarce": app.is_fastcgi and app.pool < question.connections,
        "upstream_timeout_s": app.upstream_timeout_s,
        "idle_timeout_s": app.idle_timeout_s,
        "body_mib": _body_mib(answer, best),
        "unix": best is Front.UNIX,
        "socket": SOCKET,
        "port": app.port or PORT,
        "is_port_known": app.port is not None,
        "why": dict.fromkeys(Front, UNKNOWN) | {entry.front: _why(entry) for entry in answer.advice},
        "saves": dict.fromkeys(Front, False) | {entry.front: entry.worth is Worth.SAVES for entry in answer.advice},
    }
    return Configuration(name, _templates().get_template(f"{name}.j2").render(context).rstrip())


def _has_keepalive(answer: FrontResult, best: Front) -> bool:
    """Whether the stack has upstream keepalive: that over a Unix socket has, if it could be had at all."""
    return best is Front.KEEPALIVE or (best is Front.UNIX and Front.KEEPALIVE in answer.question.fronts)


def _body_mib(answer: FrontResult, best: Front) -> int | None:
    """What the measured nginx takes at most, if that is more than nginx's own limit."""
    arm = answer.record.suite.arms.get(best.value)
    mib = None if arm is None else arm.hops[0].settings.get("body_mib_most")
    return mib if isinstance(mib, int) and mib > 1 else None


def _why(entry: Advice) -> str:
    return evidence(entry) + (", no verdict" if entry.worth is Worth.NO_VERDICT else "")


def comment(words: str, indent: int = 0) -> str:
    """The words as comment lines.

    >>> print(comment("one two three", 4))
        # one two three
    """
    before = " " * indent + "# "
    return textwrap.fill(words, WIDTH, initial_indent=before, subsequent_indent=before, break_on_hyphens=False)


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # a configuration is no HTML
    )
    environment.filters["comment"] = comment
    return environment
