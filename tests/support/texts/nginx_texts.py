"""Configurations for tests: our own twelve, other people's if HOPCOST_CONFIGURATIONS names them, and small texts."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from places import ROOT

from hopcost.nginx.ablations import find_ablations
from hopcost.nginx.ablations.ablation import Ablation, LoadSeen
from hopcost.nginx.ablations.context import Context
from hopcost.nginx.read import ConfigurationText, read_configuration
from hopcost.nginx.sites import choose_site
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


def seen_load(**known: object) -> LoadSeen:
    """A load that 32 connections make of an app that keeps connections open, unless told otherwise."""
    usual = LoadSeen(
        connections=32,
        requests_per_connection=None,
        body_bytes=2000,
        content_type="text/html",
        status=200,
        encoding=None,
        accepts_gzip=True,
        is_tls=False,
        is_upload=False,
        idle_timeout_s=None,
        is_from_upstream=True,
    )
    return msgspec.structs.replace(usual, **known)


def context_of(configuration: ConfigurationText, version: tuple[int, ...] = (1, 22, 1), **known: object) -> Context:
    """The context of a configuration's site."""
    return Context(configuration, choose_site(configuration), version, seen_load(**known))


def ablations_of(
    folder: Path, text: str, version: tuple[int, ...] = (1, 22, 1), **known: object
) -> dict[str, Ablation]:
    """What may be measured of a small text, by name."""
    configuration = configuration_of(folder, text)
    found = find_ablations(configuration, choose_site(configuration), version, seen_load(**known))
    return {ablation.name: ablation for ablation in found}


def changed(folder: Path, text: str, name: str, version: tuple[int, ...] = (1, 22, 1), **known: object) -> str:
    """The small text as one ablation leaves it, without the `http` around it."""
    ablation = ablations_of(folder, text, version, **known)[name]
    configuration = read_configuration(folder / "nginx.conf", machine=folder / "machine").with_edits(ablation.edits)
    return configuration.files[configuration.main].removeprefix("events {}\nhttp {\n").removesuffix("\n}\n")
