"""Command lines and configurations out of a program's templates: Jinja2, in which an unknown variable is an error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2
import msgspec

from hopcost.errors import UsageError
from hopcost.program import Program

TRUTH = {"true": True, "false": False}


class Rendered(msgspec.Struct, frozen=True):
    """What a program's templates come to; `files` are name → text."""

    command: list[str]
    files: dict[str, str]
    children: int
    forks: bool


def rendered(definition: Program, context: Mapping[str, object]) -> Rendered:
    """All templates with these variables; UsageError names the one that is wrong.

    Templates may include others of the program's folder. An empty word leaves the command line: so a word can depend on
    a setting.
    """
    templates = _of(definition.folder)
    place = "command"
    try:
        command = [templates.from_string(word).render(context) for word in definition.command]
        place = "children"
        children = int(templates.from_string(definition.children).render(context))
        place = "forks"
        forks = TRUTH[templates.from_string(str(definition.forks)).render(context).lower()]
        files = {}
        for file, template in definition.files.items():
            place = template
            files[templates.from_string(file).render(context)] = templates.get_template(template).render(context)
    except (jinja2.TemplateError, ValueError, KeyError) as error:
        line = f":{error.lineno}" if isinstance(error, jinja2.TemplateSyntaxError) else ""
        raise UsageError(f"{definition.folder / place}{line}: {error}") from error
    return Rendered(command=[word for word in command if word], files=files, children=children, forks=forks)


@cache
def _of(folder: Path) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
