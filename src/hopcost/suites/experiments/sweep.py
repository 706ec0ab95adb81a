"""A sweep: one key of an experiment over a list of values. Each point is an experiment of its own, `NAME@VALUE`."""

from __future__ import annotations

from typing import Any

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.suites.articles.published import Value, label, same
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.workload import Workload

# Words in a key that begins with this: `settings.nginx.gzip` has three.
SWEPT = {"workload": 2, "settings": 3, "sysctls": 2, "link_mbit_per_s": 1, "open_files": 1, "placement": 1}
TABLES = ("slow_clients", "idle_connections")  # of the workload: one of their keys is varied
FREE_NAMES = ("settings", "sysctls")  # the last name may have dots in it, as sysctls have
AT = "@"  # between an experiment's name and the value of a point


def points(experiment: Experiment) -> list[tuple[Value | None, Experiment]]:
    """The experiment at each value of its sweep, with the published figures of that value; itself without a sweep."""
    if experiment.sweep is None:
        return [(None, experiment)]
    return [(value, experiment_at(experiment, value)) for value in experiment.sweep.values]


def experiment_at(experiment: Experiment, value: Value) -> Experiment:
    """The experiment with the swept key at this value; UsageError if the key takes no such value."""
    assert experiment.sweep is not None, "asked for a point of a sweep"
    content = msgspec.to_builtins(experiment)
    place, last = _place(content, experiment.sweep.key)
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
        point = msgspec.convert(content, Experiment)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"sweep: {experiment.sweep.key} = {label(value)}: {error}", f"a value that {experiment.sweep.key} takes"
        ) from error
    return msgspec.structs.replace(point, name=experiment.name + AT + label(value))  # no name that a file may give


def _place(content: dict[str, Any], key: str) -> tuple[dict[str, Any], str]:
    """The table of the plain content that holds the key, and the key's name in it; UsageError for an unknown key."""
    words = key.split(".")
    depth = SWEPT.get(words[0])
    if depth is None:
        raise UsageError(f"sweep.key: '{words[0]}' cannot be swept", nearest(words[0], SWEPT))
    if len(words) < depth:
        raise UsageError(f"sweep.key: '{key}' is a table", f"name a key in it: {key}.…")
    if words[0] == "workload" and words[1] not in Workload.__struct_fields__:
        raise UsageError(f"sweep.key: '{key}': unknown '{words[1]}'", nearest(words[1], Workload.__struct_fields__))
    if words[0] == "workload" and words[1] in TABLES:
        depth = 3
        if len(words) < depth:
            raise UsageError(f"sweep.key: '{key}' is a table", f"name a key in it: {key}.number")
        if content["workload"][words[1]] is None:
            raise UsageError(f"sweep.key: '{key}': the workload has no {words[1]}", "give it all their keys")
    if len(words) > depth and words[0] not in FREE_NAMES:
        extra = ".".join(words[depth:])
        raise UsageError(f"sweep.key: '{key}': '{words[depth - 1]}' is no table", f"leave .{extra} out")
    for word in words[: depth - 1]:
        content = content.setdefault(word, {})
    return content, ".".join(words[depth - 1 :])
