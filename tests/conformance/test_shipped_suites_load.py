"""Every shipped suite loads, and its programs know the settings it asks for."""

from __future__ import annotations

import pytest

from hopcost.programs.read import read_program
from hopcost.suites.read import read_suite, shipped_suites


@pytest.mark.parametrize("name", shipped_suites())
def test_every_suite_that_comes_with_hopcost_loads(name: str) -> None:
    read = read_suite(name)
    assert read.name == name, "it is found by the file's name and recorded under its own"
    assert set(read.arms) == {arm for experiment in read.experiments for arm in experiment.arms}
    for arm in read.arms.values():
        for place, hop in enumerate(arm.hops):
            definition = read_program(hop.program)
            assert hop.link in definition.links
            assert place == 0 or hop.link in read_program(arm.hops[place - 1].program).upstream_links
            definition.resolve_settings(hop.settings, cores=2, where=name)
    for experiment in read.experiments:
        for program, settings in experiment.settings.items():
            read_program(program).resolve_settings(settings, cores=2, where=experiment.name)
