"""The structures of files as tables of their keys: what `Meta(description=…)` says of each field, and its type."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
import types
import typing
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from hopcost.report.formats.json_arm import ReportedArm
from hopcost.report.formats.json_schema import Report, ReportedExperiment
from hopcost.statistics.intervals import Interval
from hopcost.suites.arms.arm import Name
from tools.markdown import fill, table

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
REGION = re.compile(r"(?s)(<!-- generated: (\S+) -->\n).*?(<!-- end -->)")
NAME = typing.get_args(Name)[1]
PLAIN = {str: "string", int: "integer", float: "number", bool: "true or false", object: "any"}


class Page(Enum):
    """The pages with tables of structures."""

    SUITE = "suite-file.md"
    PROGRAM = "program-file.md"
    RECORD = "record.md"


ROOMS = {
    Page.SUITE: ["suites", "nginx"],
    Page.PROGRAM: ["programs"],
    Page.RECORD: ["record", "plan", "programs.generators", "suites"],
}


@functools.cache
def structures() -> dict[type[msgspec.Struct], Page]:
    """The structures that have a region on the page of their room."""
    described: dict[type[msgspec.Struct], Page] = {}
    for page, names in ROOMS.items():
        marked = {region[2] for region in REGION.finditer((REFERENCE / page.value).read_text(encoding="utf-8"))}
        for kind in structures_of(*names):
            if kind.__name__ in marked:
                described[kind] = page
    return described


def structures_of(*rooms: str) -> list[type[msgspec.Struct]]:
    """All structures that these packages define."""
    modules = [importlib.import_module(f"hopcost.{room}") for room in rooms]
    for package in list(modules):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            modules.append(importlib.import_module(module.name))
    return [
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__
    ]


def meanings(kind: type[msgspec.Struct]) -> dict[str, str]:
    """What each key of a structure means, in order; without the keys that have no description."""
    hints = typing.get_type_hints(kind, include_extras=True)
    words = {field.encode_name: _description(hints[field.name]) for field in msgspec.structs.fields(kind)}
    return {key: meaning for key, meaning in words.items() if meaning is not None}


def _description(hint: Any) -> str | None:
    metas = [meta for meta in getattr(hint, "__metadata__", ()) if isinstance(meta, msgspec.Meta)]
    return next((meta.description for meta in metas if meta.description is not None), None)


def report_keys() -> dict[str, str]:
    """`experiments[].arms[].ratio.low` and the like: every key of the JSON report, and what it means."""

    def of(kind: type[msgspec.Struct], place: str) -> dict[str, str]:
        words = meanings(kind)
        described: dict[str, str] = {}
        for key, hint in typing.get_type_hints(kind).items():
            described |= {place + key: words[key]} if key in words else {}
            for inner in {hint, *typing.get_args(hint)} & {ReportedExperiment, ReportedArm, Interval}:
                described |= of(inner, place + key + ("." if inner is Interval else "[]."))
        return described

    return of(Report, "")


def structure_table(kind: type[msgspec.Struct]) -> str:
    """Heading, docstring and keys of one structure."""
    page, words = structures()[kind], meanings(kind)
    hints = typing.get_type_hints(kind, include_extras=True)
    in_toml = page is not Page.RECORD
    rows = []
    for field in msgspec.structs.fields(kind):
        cells = [f"`{field.encode_name}`", type_words(hints[field.name], page)]
        rows.append([*cells, *([_default(field)] if in_toml else []), words[field.encode_name]])
    if (tag := kind.__struct_config__.tag) is not None:
        rows.insert(0, [f"`{kind.__struct_config__.tag_field}`", f"`{tag}`", "tells this line from the others"])
    header = ["key", "type", *(["default"] if in_toml else []), "meaning"]
    return f"### {_heading(kind)}\n\n{fill(inspect.getdoc(kind) or '')}\n" + table(header, rows)


def _heading(kind: type) -> str:
    """`ArmBlock` → `Arm block`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).capitalize()


def type_words(hint: Any, page: Page) -> str:
    """A type as a person who writes or reads the file says it; structures as links to their tables."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated and any(getattr(argument, "pattern", None) == NAME.pattern for argument in arguments):
        return "name"
    if origin is Annotated:
        return _bounded(arguments[0], [meta for meta in arguments[1:] if isinstance(meta, msgspec.Meta)], page)
    if origin in (types.UnionType, typing.Union):
        words = [type_words(kind, page) for kind in arguments if kind is not type(None)]
        words += ["null"] if type(None) in arguments and page is Page.RECORD else []
        return " or ".join(words)
    if origin is list:
        return f"list of {type_words(arguments[0], page)}"
    if origin is tuple:
        return f"[{', '.join(type_words(kind, page) for kind in arguments)}]"
    if origin is dict:
        container = "object" if page is Page.RECORD else "table"
        return f"{container}: {type_words(arguments[0], page)} → {type_words(arguments[1], page)}"
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in arguments)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(f"`{choice.value}`" for choice in hint)
    if hint in structures():
        other = structures()[hint]
        return f"[{_heading(hint)}]({'' if other is page else other.value}#{_heading(hint).lower().replace(' ', '-')})"
    return PLAIN[hint]


def _bounded(hint: Any, metas: list[msgspec.Meta], page: Page) -> str:
    """`integer, at least 1` and the like."""
    words = type_words(hint, page)
    for meta in metas:
        if meta.min_length is not None:
            exact = meta.min_length == meta.max_length
            words += f", {'exactly' if exact else 'at least'} {meta.min_length}"
        if meta.gt is not None:
            words += f", above {meta.gt}"
        if meta.ge is not None:
            words += f", from {meta.ge}"
        if meta.le is not None:
            words += f" to {meta.le}"
        if meta.pattern is not None:
            words += f" that fits `{meta.pattern}`"
    return words


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if value is None:
        return "absent"
    if isinstance(value, msgspec.Struct):
        return "its defaults"
    return f"`{msgspec.json.encode(value).decode()}`"
