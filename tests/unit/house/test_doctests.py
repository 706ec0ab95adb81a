"""The examples in hopcost's own docstrings are true."""

import contextlib
import doctest
import importlib
import pkgutil

import pytest

import hopcost

with contextlib.suppress(ModuleNotFoundError):
    importlib.import_module("asyncssh")  # which starts ldconfig as it is imported, and no test may

MODULES = sorted(module.name for module in pkgutil.walk_packages(hopcost.__path__, "hopcost."))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_some_examples_are_found() -> None:
    assert doctest.testmod(importlib.import_module("hopcost.statistics.verdict")).attempted >= 2
