"""Which words may stand for an argument: asked by the shell while a person types, so nothing here may fail or wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

import typer

Words = Iterable[str | tuple[str, str]]  # a word, or a word and what it is


def _never_fails(words: Callable[..., Words]) -> Callable[..., list[str | tuple[str, str]]]:
    """No word if anything goes wrong: a suite contradicts itself, a folder may not be read."""

    @wraps(words)
    def quietly(*arguments: object, **options: object) -> list[str | tuple[str, str]]:
        try:
            return list(words(*arguments, **options))
        except Exception:
            return []

    return quietly


@_never_fails
def suites(incomplete: str) -> Words:
    """SUITE, or SUITE/EXPERIMENT once there is a slash; the shell completes the paths of files by itself."""
    from hopcost.suites import read

    first, slash, rest = incomplete.partition("/")
    if slash:
        return [(f"{first}/{word}", question) for word, question in _experiments(first, rest)]
    return [(name, read.read_suite(name).title) for name in read.shipped_suites() if name.startswith(incomplete)]


@_never_fails
def suite_names(incomplete: str) -> Words:
    """SUITE alone."""
    from hopcost.suites import read

    return [(name, read.read_suite(name).title) for name in read.shipped_suites() if name.startswith(incomplete)]


@_never_fails
def experiments(context: typer.Context, incomplete: str) -> Words:
    """EXPERIMENT of the suite that stands before it."""
    return _experiments(context.params["suite"], incomplete)


@_never_fails
def arms(incomplete: str) -> Words:
    """SUITE/EXPERIMENT/ARM, a part at a time; once a letter is there, ends of names that no other arm has."""
    from hopcost.suites import names, read

    parts = incomplete.split("/")
    ends = [end for end in names.unique_ends() if end.startswith(incomplete)] if incomplete else []
    if len(parts) == 1:
        return [*(f"{name}/" for name in read.shipped_suites() if name.startswith(incomplete)), *ends]
    if len(parts) == 2:
        is_suite = parts[0] in read.shipped_suites() or parts[0].endswith(".toml")
        return [*(f"{parts[0]}/{word}/" for word, _ in (_experiments(*parts) if is_suite else [])), *ends]
    known = read.read_suite(parts[0]).experiment(parts[1]).arms
    return [f"{parts[0]}/{parts[1]}/{name}" for name in known if name.startswith(parts[2])]


@_never_fails
def records(incomplete: str) -> Words:
    """`latest` and the names in records/."""
    from hopcost.record.names import LATEST, record_names

    return [name for name in [LATEST, *record_names()] if name.startswith(incomplete)]


@_never_fails
def programs(incomplete: str) -> Words:
    """Programs that are made from source."""
    from hopcost.programs import read

    return [name for name in read.shipped_programs() if name.startswith(incomplete) and read.read_program(name).build]


def _experiments(suite_name: str, incomplete: str) -> list[tuple[str, str]]:
    """Names with their questions; the points of a sweep once its `@` is typed."""
    from hopcost.suites import read
    from hopcost.suites.experiments.sweep import AT, points

    words = []
    for experiment in read.read_suite(suite_name).experiments:
        shown = [experiment] if AT not in incomplete else [point for _, point in points(experiment)]
        words += [(point.name, experiment.question) for point in shown if point.name.startswith(incomplete)]
    return words
