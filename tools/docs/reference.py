"""Writes the tables of docs/ and CONTRIBUTING.md from the code that they describe, so that they cannot differ.

A page marks where a table goes: `<!-- generated: Hop -->` … `<!-- end -->`. Everything in between is rewritten.
report.schema.json, the schema of the JSON report, is written whole. What a key means stands on its field, as
`Meta(description=…)`; words.toml has the words of what is no field.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import json
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer.testing

from hopcost import cli
from hopcost.cli.shared.verbs import app
from hopcost.errors import EXIT_CODES
from hopcost.plan import method
from hopcost.record.contents.reason import ReasonKind
from hopcost.report.formats.csv import Row
from hopcost.report.formats.json_schema import Report, ReportedArm, ReportedExperiment
from hopcost.statistics.intervals import Interval
from hopcost.statistics.validity.reasons import SENTENCES
from hopcost.suites import read
from hopcost.suites.arms.arm import Name
from tools.docs import littles_law, rooms
from tools.markdown import fill, table

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
SCHEMA = REFERENCE / "report.schema.json"
LOAD_HELP = ROOT / "crates" / "engine" / "src" / "load" / "arguments" / "help.txt"
REGION = re.compile(r"(?s)(<!-- generated: (\S+) -->\n).*?(<!-- end -->)")
COMMAND = ".venv/bin/python -m tools.docs.reference"
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


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """words.toml."""

    environment: dict[str, str]


NAME = typing.get_args(Name)[1]
WORDS = msgspec.toml.decode(Path(__file__).with_name("words.toml").read_bytes(), type=Words)


def main() -> None:
    """Rewrite the pages, or with --check only name those that are out of date (exit code 1)."""
    parser = argparse.ArgumentParser(description="Writes the tables of the documentation from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a page is out of date")
    check = parser.parse_args().check
    wanted = {path: rewritten(path.read_text()) for path in pages()} | {SCHEMA: schema()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"{path.name}: " + ("out of date" if check else "rewritten"))
        if not check:
            path.write_text(wanted[path])
    if check and stale:
        sys.exit(f"hint: {COMMAND}")


def pages() -> list[Path]:
    """All pages that may have marked regions."""
    return [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def rewritten(page: str) -> str:
    """The page with every marked region as it must be; KeyError for a region that nothing generates."""
    known = regions()
    return REGION.sub(lambda region: region[1] + "\n" + known[region[2]]() + "\n" + region[3], page)


def regions() -> dict[str, Callable[[], str]]:
    """What can be generated, by the name of its region."""
    tables: dict[str, Callable[[], str]] = {
        "report": lambda: _keys(report_keys()),
        "environment": lambda: _keys(WORDS.environment),
        "rooms": rooms.drawing,
        "rooms_table": rooms.table,
        "constants": _constants,
        "reasons": _reasons,
        "targets": _targets,
        "littles_law": _littles_law,
        "exit_codes": lambda: table(["code", "meaning"], [[str(code), words] for code, words in EXIT_CODES.items()]),
        "cli": _cli,
        "csv": lambda: _keys(meanings(Row), "column"),
    }
    return tables | {kind.__name__: functools.partial(_structure, kind) for kind in structures()}


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


def _structure(kind: type[msgspec.Struct]) -> str:
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


def _constants() -> str:
    """The method's constants, as plan/method.py has them."""
    rows = []
    for name, value, unit, meaning in method.table():
        large = isinstance(value, int | float) and value >= 1e4
        words = ", ".join(map(str, value)) if isinstance(value, tuple) else f"{value:,}" if large else str(value)
        words, unit = ("not measured yet", "") if value is None else (words, unit)
        rows.append([meaning, f"{words} {unit}".strip(), f"`{name}`"])
    return table(["what", "value", "in the code"], rows)


def _reasons() -> str:
    """Each kind of reason with its sentence; an ellipsis is the figure."""
    own = "its `text`"
    rows = [[f"`{kind}`", SENTENCES[kind].words.format("…") if kind in SENTENCES else own] for kind in ReasonKind]
    return table(["kind", "the reason in words"], rows)


def _targets() -> str:
    """What `make help` lists."""
    targets = re.findall(r"(?m)^([a-z-]+):.*?## (.*)$", (ROOT / "Makefile").read_text())
    return table(["command", "what"], [[f"`make {name}`", text] for name, text in targets])


def _keys(words: dict[str, str], header: str = "key") -> str:
    return table([header, "meaning"], [[f"`{key}`", text] for key, text in words.items()])


def _littles_law() -> str:
    """Published means beside those that the published throughputs leave room for, of all suites."""
    rows = []
    for name in read.shipped_suites():
        for row in littles_law.rows(read.read_suite(name)):
            place = row.experiment if row.at is None else f"{row.experiment} at {row.at}"
            cells = [f"{name}, {place}", row.arm, f"{row.connections:,}", f"{row.throughput_per_s:,.0f}"]
            cells += [f"{row.expected_ms:,.2f}", f"{row.published_ms:,.2f}", "yes" if row.agrees else "**no**"]
            rows.append(cells)
    header = ["experiment", "arm", "connections", "published requests/s", "so a mean of ms", "published mean, ms"]
    return table([*header, "agrees"], rows)


def _cli() -> str:
    """`--help` of hopcost and every verb; of `load` the engine's."""
    cli.load_verbs()
    run = typer.testing.CliRunner()
    verbs = typer.main.get_command(app.app).list_commands(None)  # type: ignore[attr-defined]
    parts = []
    for verb in [None, *verbs]:
        if verb == "load":  # which would become the engine
            shown = LOAD_HELP.read_text(encoding="utf-8")
        else:
            words = [*([] if verb is None else [verb]), "--help"]
            shown = run.invoke(app.app, words, prog_name="hopcost", env={"COLUMNS": "80"}).output
        parts.append(f"## hopcost{f' {verb}' if verb else ''}\n\n```text\n{shown.rstrip()}\n```")
    return "\n\n".join(parts)


def schema() -> str:
    """The JSON Schema of the JSON report: its structures' types, with the meaning of each key."""
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hopcost report --json",
        "$comment": f"generated: {COMMAND}",
    }
    return json.dumps(about | msgspec.json.schema(Report), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
