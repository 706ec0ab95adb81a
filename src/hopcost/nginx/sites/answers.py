"""Whether a server answers with a site, only redirects, or turns everybody away."""

from __future__ import annotations

import re
from enum import Enum

from hopcost.nginx.tree import Directive, inside

REDIRECT = re.compile(r"30[12378]$")
REFUSAL = re.compile(r"4\d\d$")
EVERYTHING = frozenset(
    {"^", "^/", "^/?", "^/.*", "^/.*$", "^.*$", ".*", "^/(.*)$", "^(.*)$", "^/(.*)", "^(.*)", "(.*)"}
)
CHALLENGE = "/.well-known"
OF_SCHEME = re.compile(r"\$(?:scheme|https|server_port|http_x_forwarded_proto)\b|\$\{(?:scheme|https)\}")


class Answers(Enum):
    """What a request for a path of the site meets."""

    SITE = "site"
    REDIRECTS = "redirects"
    CLOSES = "closes"


def answers_of(server: Directive, *, is_tls: bool) -> Answers:
    """What nearly every request to a server meets there."""
    directives = list(inside(server))
    if any(directive.name == "ssl_reject_handshake" and directive.first == "on" for directive in directives):
        return Answers.CLOSES
    own = _unconditional(directives)
    conditional = [directive for directive in directives if directive.name == "if"]
    redirects_by_if = [block for block in conditional if _unconditional(list(inside(block))) is Answers.REDIRECTS]
    if own is Answers.CLOSES and redirects_by_if:
        return Answers.REDIRECTS  # as certbot writes it: redirect the names, 404 for the rest
    if own is not None:
        return own
    if not is_tls and any(OF_SCHEME.search(" ".join(block.args)) for block in redirects_by_if):
        return Answers.REDIRECTS
    return _answers_of_locations(directives)


def _answers_of_locations(directives: list[Directive]) -> Answers:
    locations = [
        directive
        for directive in directives
        if directive.name == "location"
        and directive.args
        and not directive.args[-1].lstrip("^~/").startswith(CHALLENGE.lstrip("/"))
    ]
    answers = [_unconditional(list(inside(location))) for location in locations]
    takes_all = any(location.args == ("/",) for location in locations)
    if takes_all and all(answer in (Answers.REDIRECTS, Answers.CLOSES) for answer in answers):
        return Answers.REDIRECTS if Answers.REDIRECTS in answers else Answers.CLOSES
    return Answers.SITE


def _unconditional(directives: list[Directive]) -> Answers | None:
    """What `return` and `rewrite` say without an `if`; None if they leave the request alone."""
    for directive in directives:
        if directive.name == "return" and directive.args:
            if REDIRECT.match(directive.first) or re.match(r"https?://", directive.first):
                return Answers.REDIRECTS
            return Answers.CLOSES if REFUSAL.match(directive.first) else Answers.SITE
        if directive.name == "rewrite" and len(directive.args) >= 2 and directive.first in EVERYTHING:
            goes_away = re.match(r"https?://|\$scheme:", directive.args[1])
            if goes_away or directive.args[-1] in ("permanent", "redirect"):
                return Answers.REDIRECTS
    return None
