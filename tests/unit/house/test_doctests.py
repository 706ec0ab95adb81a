"""The examples in hopcost's own docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import hopcost

MODULES = sorted(module.name for module in pkgutil.walk_packages(hopcost.__path__, "hopcost."))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_some_examples_are_found() -> None:
    assert doctest.testmod(importlib.import_module("hopcost.statistics.verdict")).attempted >= 2
