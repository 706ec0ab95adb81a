"""A suite as the text of a TOML file: what `read_suite` reads from it is the same suite. Defaults are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import msgspec

from hopcost.suites.suite import Suite

WIDTH = 100  # a longer list has a line for each entry
TABLES = ("apps", "arms")  # of the suite: each entry is a table of its own
BARE = re.compile(r"[A-Za-z0-9_-]+")


def suite_text(suite: Suite, about: Sequence[str] = ()) -> str:
    """The text; `about` are comment lines at its head.

    The suite's hops must have their settings, and paths that are absolute or relative to where the file will lie.
    """
    keys = _plain(_without_apps_in_hops(suite))
    parts = ["\n".join(f"# {line}".rstrip() for line in about)] if about else []
    simple = {key: value for key, value in keys.items() if key not in (*TABLES, "experiments")}
    parts.append(_assignments(simple))
    for table in TABLES:
        parts += [f"[{table}.{_key(name)}]\n{_assignments(entry)}" for name, entry in keys.get(table, {}).items()]
    parts += [f"[[experiments]]\n{_assignments(entry)}" for entry in keys["experiments"]]
    return "\n".join(parts)


def _without_apps_in_hops(suite: Suite) -> Suite:
    """As files have it: a hop has the name of its app."""
    replace = msgspec.structs.replace
    arms = {name: replace(arm, hops=[replace(hop, app=None) for hop in arm.hops]) for name, arm in suite.arms.items()}
    return replace(suite, arms=arms)


def _assignments(entries: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_value(value, WIDTH - len(key))}\n" for key, value in entries.items())


def _plain(value: Any) -> Any:
    """A structure as a table of what is not its default; everything else as TOML knows it."""
    if isinstance(value, msgspec.Struct):
        return {
            field.encode_name: _plain(getattr(value, field.name))
            for field in msgspec.structs.fields(value)
            if getattr(value, field.name) != _default(field) and getattr(value, field.name) is not None
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else msgspec.NODEFAULT


def _value(value: Any, room: int) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _string(value)
        case list():
            inline = f"[{', '.join(map(_inline, value))}]"
            if len(inline) <= room:
                return inline
            return "[\n" + "".join(f"  {_inline(entry)},\n" for entry in value) + "]"
        case Mapping():
            entries = [f"{_key(key)} = {_inline(entry)}" for key, entry in value.items()]
            return f"{{ {', '.join(entries)} }}" if entries else "{}"
    raise TypeError(f"no TOML for {value!r}")


def _inline(value: Any) -> str:
    """In one line, as TOML wants it inside braces."""
    return _value(value, 1 << 30)


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    """A basic string. JSON writes the same, but for DEL, which TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
