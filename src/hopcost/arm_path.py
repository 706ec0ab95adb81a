"""`SUITE/EXPERIMENT/ARM`: one arm named on the command line."""

from __future__ import annotations

from hopcost import machine, suite
from hopcost.errors import UsageError, nearest
from hopcost.sandbox import Cores, place
from hopcost.suite import Arm, Experiment, Suite


def find(path: str) -> tuple[Experiment, str, Arm, Cores]:
    """The experiment, the arm's name and itself, and its cores here; UsageError with the nearest name."""
    content, experiment, name = locate(path)
    cores = place(experiment.placement, machine.allowed_cores(), machine.siblings())
    return experiment, name, experiment.surrounded(content.arms[name]), cores


def locate(path: str) -> tuple[Suite, Experiment, str]:
    """The suite, the experiment and the arm's name; UsageError with the nearest name.

    The suite may be a TOML file: everything before the last two slashes is its path.
    """
    parts = path.rsplit("/", 2)
    if len(parts) != 3 or not all(parts):
        raise UsageError(f"'{path}' names no arm", "SUITE/EXPERIMENT/ARM, as in nginx-go/one-core/nginx-http-tcp")
    content = suite.load(parts[0])
    experiment = content.experiment(parts[1])
    if parts[2] not in experiment.arms:
        raise UsageError(f"experiment {experiment.name} has no arm '{parts[2]}'", nearest(parts[2], experiment.arms))
    return content, experiment, parts[2]
