"""Suites, by name or from a TOML file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.suites import toml_file
from hopcost.suites.checks import check_suite
from hopcost.suites.suite import Suite

SUITES = Path(__file__).parent / "shipped"


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
            nearest(name_or_path, shipped_suites()) + "; a path to a file ends in .toml",
        )
    suite = toml_file.read(path, Suite)
    check_suite(suite, path)
    return _with_whole_hops(suite, path.parent)


def _with_whole_hops(suite: Suite, folder: Path) -> Suite:
    """An arm's settings laid under those of its hops, and paths made absolute: who starts a stack needs hops alone."""
    replace = msgspec.structs.replace
    arms = {
        name: replace(
            arm,
            hops=[replace(hop.from_folder(folder), settings=hop.settings_over(arm.settings)) for hop in arm.hops],
        )
        for name, arm in suite.arms.items()
    }
    return replace(suite, arms=arms)
