"""Writes the tables of docs/ and CONTRIBUTING.md from the code that they describe, so that they cannot differ.

A page marks where a table goes: `<!-- generated: Hop -->` … `<!-- end -->`. Everything in between is rewritten.
report.schema.json, the schema of the JSON report, is written whole. structures.py makes the tables of structures;
words.toml has the words of what is no field.
"""

from __future__ import annotations

import argparse
import functools
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import typer.testing

from hopcost import cli
from hopcost.cli.shared.verbs import app
from hopcost.errors import EXIT_CODES
from hopcost.plan import method
from hopcost.record.contents.reason import ReasonKind
from hopcost.report.formats.csv import Row
from hopcost.report.formats.json_schema import Report
from hopcost.statistics.validity.reasons import SENTENCES
from hopcost.suites import read
from tools.docs import littles_law, rooms
from tools.docs.structures import REFERENCE, REGION, meanings, report_keys, structure_table, structures
from tools.markdown import table

ROOT = Path(__file__).parents[2]
SCHEMA = REFERENCE / "report.schema.json"
LOAD_HELP = ROOT / "crates" / "engine" / "src" / "load" / "arguments" / "help.txt"
COMMAND = ".venv/bin/python -m tools.docs.reference"


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """words.toml."""

    environment: dict[str, str]


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
    return tables | {kind.__name__: functools.partial(structure_table, kind) for kind in structures()}


def _constants() -> str:
    """The method's constants, as plan/method.py has them."""
    rows = []
    for name, value, unit, meaning in method.table():
        large = isinstance(value, int | float) and value >= 1e4
        words = ", ".join(map(str, value)) if isinstance(value, tuple) else f"{value:,}" if large else str(value)
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
