"""`SUITE/EXPERIMENT/ARM`: one arm named on the command line."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.suites import toml_file
from hopcost.suites.checks import check_suite
from hopcost.suites.experiment import Experiment
from hopcost.suites.suite import Suite


def locate(path: str) -> tuple[Suite, Experiment, str]:
    """The suite, the experiment and the arm's name; UsageError with the nearest name.

    The suite may be a TOML file: everything before the last two slashes is its path.
    """
    parts = path.rsplit("/", 2)
    if len(parts) != 3 or not all(parts):
        raise UsageError(f"'{path}' names no arm", "SUITE/EXPERIMENT/ARM, as in nginx-go/one-core/nginx-http-tcp")
    content = read_suite(parts[0])
    experiment = content.experiment(parts[1])
    if parts[2] not in experiment.arms:
        raise UsageError(f"experiment {experiment.name} has no arm '{parts[2]}'", nearest(parts[2], experiment.arms))
    return content, experiment, parts[2]


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


def choose(word: str) -> tuple[str, list[str]]:
    """`SUITE` or `SUITE/EXPERIMENT` as the suite's name or path, and the experiment's name if there is one.

    >>> choose("nginx-go"), choose("nginx-go/one-core@64"), choose("./mine.toml"), choose("./mine.toml/first")
    (('nginx-go', []), ('nginx-go', ['one-core@64']), ('./mine.toml', []), ('./mine.toml', ['first']))
    """
    head, slash, tail = word.rpartition("/")
    if not slash or word.endswith(".toml") or Path(word).is_file():
        return word, []
    if (
        head in shipped_suites()
        or head.endswith(".toml")
        or Path(head).is_file()
        or ("/" not in head and not head.startswith("."))
    ):
        return head, [tail]
    return word, []


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
