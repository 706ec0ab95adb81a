"""Reads a configuration with all that it includes, and says with file and line why one cannot be read."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.nginx.read.finder import (
    HAS_WILDCARD,
    Finder,
    read_text,
    supplied_for,
    supplied_texts,
    takes_sites,
)
from hopcost.nginx.read.kinds import is_site, refuse_no_main, whole_around
from hopcost.nginx.read.refused import refuse_no_configuration, refuse_unknown_variables
from hopcost.nginx.read.text import ETC_NGINX, ConfigurationText, expand_includes
from hopcost.nginx.tree import Directive, parse_file

__all__ = ["ConfigurationText", "read_configuration"]

MAIN = f"{ETC_NGINX}/nginx.conf"
MOST_FILES = 1000


def read_configuration(file: Path, machine: Path = Path("/")) -> ConfigurationText:
    """The configuration that `file` is the main file, or a site of. UsageError with file, line and hint if it is none.

    The main file is /etc/nginx/nginx.conf for nginx, and its folder is /etc/nginx. Paths outside of that folder are
    read below `machine`. A site gets the nginx.conf around it that lies above it, or else Debian's.
    """
    file = file / "nginx.conf" if file.is_dir() else file
    called = called_here(file)
    text = read_text(file, called)
    refuse_no_configuration(text, called)
    top = parse_file(text, called)
    if not is_site(top, called):
        return _Reader(Finder(file.parent, machine, {MAIN: file})).read(file, MAIN)
    around = whole_around(file, machine)
    reader = _Reader(around.finder)
    reader.names_a_site = True
    if around.generated is not None:
        reader.files[MAIN] = around.generated
        reader.notes.append(f"{called} is a site alone: Debian's nginx.conf stands around it")
    else:
        reader.notes.append(f"{called} is read as a site of {called_here(around.finder.path_of(MAIN))}")
    return replace(reader.read(file, MAIN), site_file=around.site)


def called_here(path: Path) -> str:
    """A path as it is best told: from the present folder if it lies below it."""
    whole, here = Path(os.path.abspath(path)), Path.cwd()  # noqa: PTH100 -- links stay as the user named them
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)


class _Reader:
    """Reads the main file, then what it includes."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self.files: dict[str, str] = {}
        self.notes: list[str] = []
        self.names_a_site = False
        self._paths: dict[str, Path] = {}
        self._called: dict[str, str] = {}
        self._includes: dict[str, tuple[str, ...]] = {}
        self._supplied: list[str] = []

    def read(self, file: Path, main: str) -> ConfigurationText:
        self._read_file(main, ())
        if self._supplied:
            self.notes.append(f"not here, so hopcost's own stand in: {', '.join(self._supplied)}")
        configuration = ConfigurationText(
            main=main,
            file=file,
            folder=self._finder.folder,
            files=self.files,
            paths=self._paths,
            includes=self._includes,
            tree=expand_includes(main, self.files, self._includes),
            notes=tuple(self.notes),
        )
        refuse_no_main(configuration, self._called[main])
        refuse_unknown_variables(configuration, self._called)
        return configuration

    def _read_file(self, name: str, within: tuple[str, ...]) -> None:
        if name not in self.files:
            if len(self.files) >= MOST_FILES:
                raise UsageError(f"more than {MOST_FILES} files are included", "name a smaller configuration")
            path = self._finder.path_of(name)
            self._called[name] = called_here(path)
            text = read_text(path, self._called[name])
            if text.strip():  # an empty include is none of nginx's troubles
                refuse_no_configuration(text, self._called[name])
            self.files[name] = text
            self._paths[name] = path.resolve()
        self._called.setdefault(name, name)
        self._follow(parse_file(self.files[name], name, self._called[name]), (*within, name))

    def _follow(self, directives: tuple[Directive, ...], within: tuple[str, ...]) -> None:
        for directive in directives:
            if directive.name == "include" and directive.block is None:
                for name in self._resolve(directive):
                    if name in within:
                        place = f"{self._called[directive.file]}:{directive.line}"
                        raise UsageError(f"{place}: {self._called[name]} includes itself", "remove this line")
                    self._read_file(name, within)
            elif directive.block:
                self._follow(directive.block, within)

    def _resolve(self, directive: Directive) -> tuple[str, ...]:
        pattern, place = directive.first, f"{self._called[directive.file]}:{directive.line}"
        if pattern in self._includes:
            return self._includes[pattern]
        names = self._finder.names_of(pattern)
        if not names and HAS_WILDCARD.search(pattern):
            if takes_sites(pattern) and not self.names_a_site:
                self.notes.append(f"{place}: no file matches {pattern}: sites that belong there are not measured")
        elif not names:
            names = (self._supply(directive, place),)
        self._includes[pattern] = names
        return names

    def _supply(self, directive: Directive, place: str) -> str:
        pattern = directive.first
        name = os.path.normpath(os.path.join(ETC_NGINX, pattern))  # noqa: PTH118 -- nginx's path
        text = supplied_for(name)
        if text is None:
            where = called_here(self._finder.path_of(name))
            raise UsageError(
                f"{place}: the file that it includes, {pattern}, is not here",
                f"copy it to {where}, or remove the line; hopcost brings {', '.join(sorted(supplied_texts()))}"
                if ETC_NGINX in name
                else f"copy it to {where}, or remove the line",
            )
        self.files[name] = text
        self._called[name] = name
        if directive.file in self._paths:  # what is lacking around a site alone is not the user's
            self._supplied.append(os.path.basename(name))  # noqa: PTH119 -- of nginx's path
        return name
