"""Configurations for tests: our own twelve, other people's if HOPCOST_CONFIGURATIONS names them, and small texts."""

from __future__ import annotations

import os
from pathlib import Path

from places import ROOT

from hopcost.nginx.read import ConfigurationText, read_configuration
from hopcost.nginx.tree import Directive, walk

OWN = ROOT / "tests" / "support" / "configurations"
OTHERS = "HOPCOST_CONFIGURATIONS"


def own_configurations() -> list[Path]:
    """The main file, or the site alone, of each of the twelve."""
    return sorted(next(folder.glob("*.conf")) for folder in OWN.iterdir())


def own_files() -> list[Path]:
    """All their files."""
    return sorted(path for path in OWN.rglob("*") if path.is_file())


def others_files() -> list[Path]:
    """Other people's, which are not part of the project."""
    folder = os.environ.get(OTHERS)
    found = sorted(Path(folder).rglob("*")) if folder else []
    return [path for path in found if path.suffix == ".conf" or path.name in ("mime.types", "default")]


def others_configurations() -> list[Path]:
    """What to name of each folder of HOPCOST_CONFIGURATIONS: nginx.conf, else a site."""
    folder = os.environ.get(OTHERS)
    return [_named(inner) for inner in sorted(Path(folder).iterdir()) if inner.is_dir()] if folder else []


def without_lua(paths: list[Path]) -> list[Path]:
    """Those that crossplane can read: it knows no long brackets of Lua."""
    return [path for path in paths if b"_by_lua_block" not in path.read_bytes()]


def _named(folder: Path) -> Path:
    """A file with a server, the main one first; without one there, a site that nothing includes."""
    if (folder / "sites-available" / "default").exists():
        return folder / "sites-available" / "default"
    templates = folder / "conf.d" / "templates" / "example.com.conf"
    if templates.exists():
        return templates
    main = folder / "nginx.conf"
    return main if main.exists() else next(folder.glob("*.conf"))


def own(name: str) -> ConfigurationText:
    """One of the twelve, read."""
    return read_configuration(next((OWN / name).glob("*.conf")))


def configuration_of(folder: Path, text: str, **others: str) -> ConfigurationText:
    """A configuration written into a folder and read: `http` is put around a text that has none."""
    for name, other in others.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(other, newline="")
    whole = text if "http {" in text else f"events {{}}\nhttp {{\n{text}\n}}\n"
    (folder / "nginx.conf").write_text(whole, newline="")
    return read_configuration(folder / "nginx.conf", machine=folder / "machine")


def directive(configuration: ConfigurationText, name: str, index: int = 0) -> Directive:
    """A directive by its name, the first unless told otherwise."""
    return [found.directive for found in walk(configuration) if found.directive.name == name][index]
