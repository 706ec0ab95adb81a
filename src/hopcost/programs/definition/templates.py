"""Command lines and configurations out of a program's templates: Jinja2, in which an unknown variable is an error."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2
import msgspec

from hopcost.errors import UsageError
from hopcost.programs.definition.definition import Program

TRUTH = {"true": True, "false": False}


class Rendered(msgspec.Struct, frozen=True):
    """What a program's templates come to; `files` are name → text."""

    command: list[str]
    files: dict[str, str]
    children: int
    forks: bool


def render(program: Program, folder: Path, context: Mapping[str, object], config: Path | None = None) -> Rendered:
    """All templates of a program in this folder with these variables; UsageError names the wrong one and its line.

    `config` stands in place of the program's own configuration. Templates may include others of the folder, `config`
    those of its own folder too. An empty word leaves the command line: so a word can depend on a setting.
    """
    templates = _of(folder)
    place = Path("command")
    try:
        command = [templates.from_string(word).render(context) for word in program.command]
        place = Path("children")
        children = int(templates.from_string(program.children).render(context))
        place = Path("forks")
        forks = TRUTH[templates.from_string(str(program.forks)).render(context).lower()]
        files = {}
        for file, template in program.files.items():
            name = templates.from_string(file).render(context)
            if config is not None and file == program.config:
                place = config
                files[name] = _own(config, folder).render(context)
            else:
                place = Path(template)
                files[name] = templates.get_template(template).render(context)
    except jinja2.TemplateError as error:
        path = folder / place  # an absolute path stays what it is
        raise UsageError(f"{_where(error, path, folder)}: {_describe(error)}") from error
    except (ValueError, KeyError) as error:
        raise UsageError(f"{folder / place}: {error}") from error
    return Rendered(command=[word for word in command if word], files=files, children=children, forks=forks)


def _own(config: Path, folder: Path) -> jinja2.Template:
    """A configuration that a hop brings; UsageError if it cannot be read."""
    try:
        config.read_bytes()
    except OSError as error:
        raise UsageError(f"{config}: {error.strerror}", "a path is taken from the suite's folder") from error
    return _of(config.parent, folder).get_template(config.name)


def _where(error: jinja2.TemplateError, path: Path, folder: Path) -> str:
    """`file:line` of what is wrong: in the template itself, or in the one that it includes."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f"{error.filename or path}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)  # Jinja2 makes frames of its templates' lines
    inside = [frame for frame in frames if Path(frame.filename).parent in (path.parent, folder)]
    return f"{inside[-1].filename}:{inside[-1].lineno}" if inside else str(path)


def _describe(error: jinja2.TemplateError) -> str:
    if isinstance(error, jinja2.TemplateNotFound):
        return f"it includes '{error.name}', and there is no such file"
    return error.message or str(error)


@cache
def _of(*folders: Path) -> jinja2.Environment:
    """Templates are read once: all blocks of a run have the file as it was at the first."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
