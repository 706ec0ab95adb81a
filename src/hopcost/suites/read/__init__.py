"""Suites, by name or from a TOML file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.nginx.read import read_configuration
from hopcost.nginx.sites import choose_site
from hopcost.nginx.sites.idle import idle_timeout_s
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.checks.suite import check_suite
from hopcost.suites.read import toml_file
from hopcost.suites.read.hosts import with_hosts
from hopcost.suites.suite import Suite

SUITES = Path(__file__).parents[1] / "shipped"


def shipped_suites() -> list[str]:
    """The suites that come with hopcost."""
    return sorted(path.stem for path in SUITES.glob("*.toml"))


def read_suite(name_or_path: str) -> Suite:
    """The suite of that name, or in the TOML file at that path.

    A word with a slash or with the ending `.toml` is a path. UsageError when there is none, or when it contradicts
    itself.
    """
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        path = Path(name_or_path)
    elif name_or_path in shipped_suites():
        path = SUITES / f"{name_or_path}.toml"
    else:
        raise UsageError(
            f"no suite is called '{name_or_path}'",
            nearest(name_or_path, shipped_suites()) + " A path to a file ends in .toml.",
        )
    return complete_suite(toml_file.read(path, Suite), path)


def complete_suite(suite: Suite, path: Path) -> Suite:
    """The suite, checked, with whole hops: who starts a stack needs hops alone.

    An arm's settings are laid under those of its hops, apps and configurations into theirs. Paths are made absolute:
    they are taken from the folder of `path`. A suite without a file has a `path` too, which errors name. UsageError if
    it contradicts itself.
    """
    check_suite(suite, path)
    suite = with_hosts(suite, path)
    folder, replace = path.parent, msgspec.structs.replace
    apps = {name: app.from_folder(folder) for name, app in suite.apps.items()}
    configurations = {name: _with_text(own.from_folder(folder)) for name, own in suite.configurations.items()}
    arms = {
        name: replace(
            arm,
            hops=[
                replace(
                    hop.from_folder(folder),
                    settings=hop.settings_over(arm.settings),
                    app=apps.get(hop.program),
                    configuration=configurations.get(hop.program),
                )
                for hop in arm.hops
            ],
        )
        for name, arm in suite.arms.items()
    }
    return replace(suite, arms=arms, apps=apps, configurations=configurations)


def _with_text(configuration: Configuration) -> Configuration:
    """With the digest of its files and its idle time-out; UsageError if they cannot be read, or have no such site.

    A configuration that has one of the two was looked at before.
    """
    if configuration.idle_timeout_s is not None or configuration.digest is not None:
        return configuration
    text = read_configuration(Path(configuration.file))
    site = choose_site(text, configuration.host, configuration.port)
    return msgspec.structs.replace(configuration, idle_timeout_s=idle_timeout_s(text, site), digest=text.digest)
