"""Files that are no configuration: templates, links checked out as text, and what is no text at all."""

from __future__ import annotations

import re

from hopcost.errors import UsageError
from hopcost.nginx.tokens import Kind, split_tokens
from hopcost.nginx.tree import HasTree, walk

MOST_CHARACTERS = 4_000_000
RENDER = "render it first, then measure what came out: hopcost reads what nginx reads"
TEMPLATES = (
    (re.compile(r"<%[-=#]?\s"), "<%", "an ERB template"),
    (re.compile(r"\{%[-+]?\s*\w"), "{%", "a Jinja template"),
    (re.compile(r"\{\{[-+]?\s*(?:/\*|[.$]|\w+[\s.|(}]|end\b)"), "{{", "a Jinja or Go template"),
)
VARIABLE = re.compile(r"\$(?:\{([A-Z][A-Z0-9_]+)\}|([A-Z][A-Z0-9_]+)\b)")
GROUP = re.compile(r"\(\?P?[<'](\w+)[>']")
SETS_ITS_FIRST = frozenset({"set", "auth_request_set", "js_set", "perl_set", "set_by_lua_block", "set_by_lua_file"})
SETS_ITS_LAST = frozenset({"map", "geo", "split_clients", "geoip2"})


def refuse_no_configuration(text: str, called: str) -> None:
    """UsageError with `called:line` if the text is none that nginx could read."""
    if not text.strip():
        raise UsageError(f"{called} is empty", "name the main nginx.conf, or a file with a `server` block")
    if "\0" in text or len(text) > MOST_CHARACTERS:
        raise UsageError(f"{called} is no text", "name the main nginx.conf, or a file with a `server` block")
    line = text.strip()
    if re.fullmatch(r"[\w./@+-]*/[\w./@+-]+", line):
        raise UsageError(
            f"{called} holds only a path, {line}: it is a symbolic link that was checked out as a text file",
            f"replace it by the file that it means: ln -sf {line} {called}, or copy that file",
        )
    refuse_templates(text, called)


def refuse_templates(text: str, called: str) -> None:
    """UsageError if something must be filled in before nginx can read it. Comments and Lua may say what they like."""
    plain = _without_comments_and_lua(text, called)
    for pattern, sign, kind in TEMPLATES:
        if template := pattern.search(plain):
            line = plain.count("\n", 0, template.start()) + 1
            raise UsageError(f"{called}:{line}: '{sign}' makes this {kind}, which nginx cannot read", RENDER)


def refuse_unknown_variables(configuration: HasTree, called: dict[str, str]) -> None:
    """UsageError for `${NAME}` or `$NAME` in capitals that nothing sets: envsubst was to fill it in."""
    known = {name for directive, _ in walk(configuration) for name in _sets(directive.name, directive.args)}
    unset = [
        (directive.file, word.line, variable[0])
        for directive, _ in walk(configuration)
        for word in directive.words
        for variable in VARIABLE.finditer(word.text)
        if (variable[1] or variable[2]) not in known
    ]
    if unset:
        file, line, first = unset[0]
        in_this_file = " ".join(dict.fromkeys(variable for place, _, variable in unset if place == file))
        raise UsageError(
            f"{called[file]}:{line}: nothing sets the variable {first}: this is a template for envsubst",
            f"render it first: envsubst '{in_this_file}' < {called[file]} > rendered.conf",
        )


def _sets(name: str, args: tuple[str, ...]) -> set[str]:
    groups = {group for arg in args for group in GROUP.findall(arg)}
    if name in SETS_ITS_FIRST and args:
        groups.add(args[0].lstrip("$"))
    if name in SETS_ITS_LAST and args:
        groups.add(args[-1].lstrip("$"))
    return groups


def _without_comments_and_lua(text: str, called: str) -> str:
    """The text with spaces in their places, so that lines stay."""
    parts = list(text)
    try:
        for token in split_tokens(text, called):
            if token.kind in (Kind.COMMENT, Kind.LUA):
                for at in range(token.start, token.end):
                    if parts[at] != "\n":
                        parts[at] = " "
    except UsageError:  # a template is rarely well-formed
        return re.sub(r"(?m)(?:^|(?<=\s))#[^\n]*", lambda comment: " " * len(comment[0]), text)
    return "".join(parts)
