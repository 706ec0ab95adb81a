"""A configuration that was read: its files by the paths under which nginx reads them, and their directives."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hopcost.nginx.edits import Edit, edited
from hopcost.nginx.tree import Directive, parse_file

ETC_NGINX = "/etc/nginx"


@dataclass(frozen=True)
class ConfigurationText:
    """All that nginx reads of a configuration. Texts keep their line ends; bytes that are no UTF-8 are surrogates."""

    main: str
    """the main file's path for nginx, such as /etc/nginx/nginx.conf"""
    file: Path
    """the file that the user named"""
    folder: Path
    """the user's folder that stands for /etc/nginx"""
    files: Mapping[str, str]
    """texts by nginx's paths, in the order of reading"""
    paths: Mapping[str, Path]
    """where the user keeps them, symbolic links resolved; none for what hopcost supplied"""
    includes: Mapping[str, tuple[str, ...]]
    """what the argument of an `include` stands for: nginx's paths"""
    tree: tuple[Directive, ...]
    """the main file's directives, with the included ones in their places"""
    notes: tuple[str, ...] = ()
    """what hopcost supplied or left out, in plain words"""
    site_file: str | None = None
    """nginx's path of the file that the user named, if that is a site and not the main file"""

    @property
    def supplied(self) -> frozenset[str]:
        """Files that are hopcost's own: edits of them are no changes of the user's."""
        return frozenset(self.files) - frozenset(self.paths)

    @property
    def includes_without_files(self) -> tuple[str, ...]:
        """Patterns of `include` that match no file: nginx reads on, and misses what belongs there."""
        return tuple(pattern for pattern, names in self.includes.items() if not names)

    @property
    def digest(self) -> str:
        """SHA-256 over all files and their paths."""
        digest = hashlib.sha256()
        for path, text in sorted(self.files.items()):
            digest.update(f"{path}\0{len(text)}\0".encode("utf-8", "surrogateescape"))
            digest.update(text.encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def name_of(self, file: str) -> str:
        """A file as the user knows it: from the folder of the configuration, or absolute if it lies elsewhere."""
        path = self.paths.get(file)
        if path is None:
            return file
        folder = self.folder.resolve()
        return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)

    def with_edits(self, edits: Iterable[Edit]) -> ConfigurationText:
        """The same configuration edited: texts and tree. The files stay as they are."""
        by_file: dict[str, list[Edit]] = {}
        for edit in dict.fromkeys(edits):
            by_file.setdefault(edit.file, []).append(edit)
        files = {file: edited(text, by_file.get(file, ())) for file, text in self.files.items()}
        return replace(self, files=files, tree=expand_includes(self.main, files, self.includes))


def expand_includes(
    file: str, files: Mapping[str, str], includes: Mapping[str, tuple[str, ...]]
) -> tuple[Directive, ...]:
    """A file's directives, those of the files that it includes within."""

    def expand(directives: tuple[Directive, ...]) -> tuple[Directive, ...]:
        return tuple(expand_one(directive) for directive in directives)

    def expand_one(directive: Directive) -> Directive:
        if directive.name == "include" and directive.block is None:
            included = tuple(
                inner for name in includes.get(directive.first, ()) for inner in expand_includes(name, files, includes)
            )
            return replace(directive, block=included, is_include=True)
        return replace(directive, block=expand(directive.block)) if directive.block else directive

    return expand(parse_file(files[file], file))
