"""A sweep: one key of an experiment over a list of values. Each point is an experiment of its own, `NAME@VALUE`.

The key is walked by the types of the suite's structures, so a key that they get later can be swept at once.
"""

from __future__ import annotations

import typing
from typing import Any

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.suites.experiment import Experiment
from hopcost.suites.published import Value, label, same
from hopcost.suites.toml_file import bare, is_structure

SWEPT = ("workload", "settings", "sysctls", "link_mbit_per_s", "open_files", "placement")
AT = "@"  # between an experiment's name and the value of a point


def points(experiment: Experiment) -> list[tuple[Value | None, Experiment]]:
    """The experiment at each value of its sweep, with the published figures of that value; itself without a sweep."""
    if experiment.sweep is None:
        return [(None, experiment)]
    return [(value, experiment_at(experiment, value)) for value in experiment.sweep.values]


def experiment_at(experiment: Experiment, value: Value) -> Experiment:
    """The experiment with the swept key at this value; UsageError if the key takes no such value."""
    assert experiment.sweep is not None, "asked for a point of a sweep"
    kind = type(experiment)
    content = msgspec.to_builtins(experiment)
    place, last = _place(content, kind, experiment.sweep.key)
    place[last] = value
    content |= {
        "sweep": None,
        "published": [
            msgspec.to_builtins(msgspec.structs.replace(row, at=None))
            for row in experiment.published
            if same(row.at, value)
        ],
    }
    try:
        point = msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"sweep: {experiment.sweep.key} = {label(value)}: {error}") from error
    return msgspec.structs.replace(point, name=experiment.name + AT + label(value))  # no name that a file may give


def _place(content: Any, kind: Any, key: str) -> tuple[Any, str]:
    """Where in the plain content the key stands, and its last word; UsageError for a key that is none."""
    words = key.split(".")
    swept = [name for name in SWEPT if name in kind.__struct_fields__]
    if words[0] not in swept:
        raise UsageError(f"sweep.key: '{words[0]}' cannot be swept", nearest(words[0], swept))
    place = content
    while True:
        word, words = words[0], words[1:]
        hint = _value_type(kind, word)
        if hint is None:
            raise UsageError(f"sweep.key: '{key}': unknown '{word}'", nearest(word, kind.__struct_fields__))
        is_table = typing.get_origin(hint) is dict or is_structure(hint)
        if is_table and not words:
            raise UsageError(f"sweep.key: '{key}' is a table", f"name a key in it: {key}.…")
        if not is_table:
            if words:
                raise UsageError(f"sweep.key: '{key}': '{word}' is no table", f"leave .{'.'.join(words)} out")
            return place, word
        place = place.setdefault(word, {})
        kind = hint
        if typing.get_origin(hint) is dict and not _is_table_of_tables(hint):
            return place, ".".join(words)  # names of sysctls have dots in them


def _value_type(kind: Any, word: str) -> Any:
    if typing.get_origin(kind) is dict:
        return bare(typing.get_args(kind)[1])
    hint = typing.get_type_hints(kind, include_extras=True).get(word)
    return None if hint is None else bare(hint)


def _is_table_of_tables(kind: Any) -> bool:
    return typing.get_origin(bare(typing.get_args(kind)[1])) is dict
