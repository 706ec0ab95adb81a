"""How suites, experiments and arms are named on the command line: `SUITE/EXPERIMENT/ARM`, or its end."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

from hopcost.errors import UsageError, nearest
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.sweep import AT
from hopcost.suites.read import read_suite, shipped_suites
from hopcost.suites.suite import Suite

MOST_LISTED = 8  # candidates of a name that several arms have


def locate(path: str) -> tuple[Suite, Experiment, str]:
    """The suite, the experiment and the arm's name; UsageError with the nearest name.

    The suite may be a TOML file: everything before the last two slashes is its path.
    """
    suite_name, experiment_name, arm = whole_name(path).rsplit("/", 2)
    content = read_suite(suite_name)
    experiment = content.experiment(experiment_name)
    if arm not in experiment.arms:
        raise UsageError(f"experiment {experiment.name} has no stack '{arm}'", nearest(arm, experiment.arms))
    return content, experiment, arm


def whole_name(word: str) -> str:
    """SUITE/EXPERIMENT/ARM of a word that may be the end of it: EXPERIMENT/ARM or ARM, of the shipped suites.

    A path that ends in .toml may stand in place of SUITE. UsageError if no arm's name ends so, or if several do.
    """
    in_file = re.fullmatch(r"(.+\.toml)/([^/]+)", word)
    if in_file:
        names, end = arm_names(in_file[1]), in_file[2]
    elif word.endswith(".toml"):
        names, end = arm_names(word), word
    elif word.count("/") >= 2:
        return word
    else:
        names, end = shipped_arms(), word
    candidates = ends_with(names, end)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise _several(f"{len(candidates)} arms are called '{word}'", candidates, names)
    begun = [name for name in names if name.startswith(f"{word}/")]
    if begun:
        raise _several(f"'{word}' names no arm; it has", begun, names)
    if in_file:
        raise _several(f"no stack is called '{word}'; {in_file[1]} has", names, names)
    words = {part for name in names for part in _ends(name)}
    close = difflib.get_close_matches(end, words, n=1, cutoff=0.6)
    hint = f"did you mean '{close[0]}'?" if close else "SUITE/EXPERIMENT/ARM: hopcost list names them all"
    raise UsageError(f"no stack is called '{word}'", hint)


def _several(message: str, candidates: list[str], names: list[str]) -> UsageError:
    """The candidates, one below the other, and how little of a name is enough."""
    lines = [f"  {candidate}" for candidate in candidates[:MOST_LISTED]]
    if len(candidates) > MOST_LISTED:
        lines.append(f"  and {len(candidates) - MOST_LISTED} more")
    suite = candidates[0].rsplit("/", 2)[0]
    file = f"{suite}/" if suite.endswith(".toml") else ""  # an arm of a file is never sought without it
    ends = [end for end in _ends(candidates[0]) if len(ends_with(names, end)) == 1]
    enough = f"{file}{ends[0]}" if ends else candidates[0]
    return UsageError("\n".join([f"{message}:", *lines]), f"say which; enough is, for the first, {enough}")


def ends_with(names: Iterable[str], end: str) -> list[str]:
    """The names with this end; an experiment in the end may be a point of a sweep, which the names then become.

    >>> ends_with(["work/one-core/direct", "hello/one-core/go"], "one-core@50/direct")
    ['work/one-core@50/direct']
    """
    experiment, slash, arm = end.rpartition("/")
    base, at, _ = experiment.partition(AT)
    ending = f"/{base}{slash}{arm}"
    matching = [name for name in names if name.endswith(ending)]
    return [f"{name.removesuffix(ending)}/{end}" for name in matching] if at else matching


def shipped_arms() -> list[str]:
    """SUITE/EXPERIMENT/ARM of every arm that comes with hopcost."""
    return [name for suite in shipped_suites() for name in arm_names(suite)]


def arm_names(suite: str) -> list[str]:
    """The same of one suite, or of the file at that path."""
    return [
        f"{suite}/{experiment.name}/{arm}" for experiment in read_suite(suite).experiments for arm in experiment.arms
    ]


def unique_ends() -> list[str]:
    """For every shipped arm the shortest end of its name that no other has, if there is one: ARM or EXPERIMENT/ARM."""
    ends: dict[str, int] = {}
    names = shipped_arms()
    for name in names:
        for end in _ends(name):
            ends[end] = ends.get(end, 0) + 1
    shortest = (next((end for end in _ends(name) if ends[end] == 1), None) for name in names)
    return sorted(end for end in shortest if end is not None)


def _ends(name: str) -> list[str]:
    """Its ends, the shortest first.

    >>> _ends("nginx-go/one-core/go")
    ['go', 'one-core/go']
    """
    *_, experiment, arm = name.split("/")
    return [arm, f"{experiment}/{arm}"]


def choose(word: str) -> tuple[str, list[str]]:
    """`SUITE` or `SUITE/EXPERIMENT` as the suite's name or path, and the experiment's name if there is one.

    The name of an experiment alone will do if only one shipped suite has it.

    >>> choose("nginx-go"), choose("nginx-go/one-core@64"), choose("./mine.toml"), choose("./mine.toml/first")
    (('nginx-go', []), ('nginx-go', ['one-core@64']), ('./mine.toml', []), ('./mine.toml', ['first']))
    >>> choose("sizes")
    ('static', ['sizes'])
    """
    if word in shipped_suites() or word.endswith(".toml") or Path(word).is_file():
        return word, []
    head, slash, tail = word.rpartition("/")
    if not slash:
        suite = _only_suite_with(word)
        return (word, []) if suite is None else (suite, [word])
    if (
        head in shipped_suites()
        or head.endswith(".toml")
        or Path(head).is_file()
        or ("/" not in head and not head.startswith("."))
    ):
        return head, [tail]
    return word, []


def _only_suite_with(experiment: str) -> str | None:
    """The shipped suite that has this experiment, if one has; UsageError if several have."""
    name = experiment.partition(AT)[0]
    suites = [suite for suite in shipped_suites() if name in {known.name for known in read_suite(suite).experiments}]
    if len(suites) > 1:
        candidates = [f"{suite}/{experiment}" for suite in suites]
        raise UsageError(f"{len(suites)} suites have an experiment '{name}'", f"say which: {', '.join(candidates)}")
    return suites[0] if suites else None
