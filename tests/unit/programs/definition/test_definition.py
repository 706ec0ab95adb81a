"""Definitions of programs: settings, defaults, what depends on what, and what must not be said."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.programs import BUILT, NEEDING, NGINX_LIKE, define, define_needing, define_proxy

from hopcost.errors import UsageError
from hopcost.programs import read
from hopcost.suites.arms.arm import SettingValue

pytestmark = pytest.mark.usefixtures("own_programs")


def test_settings_are_defaults_overlaid_with_what_is_given(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    resolve = read.read_program("proxy").resolve_settings
    assert resolve({}, 4, "arm x") == {"workers": 4, "keepalive": 300, "logging": False}
    assert resolve({"workers": 2, "logging": True}, 4, "arm x") == {"workers": 2, "keepalive": 300, "logging": True}
    assert resolve({"workers": "cores", "keepalive": 1}, 8, "arm x") == {"workers": 8, "keepalive": 1, "logging": False}


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        ({"worker": 1}, "arm x: proxy has no setting 'worker'", "did you mean 'workers'?"),
        ({"zzz": 1}, "arm x: proxy has no setting 'zzz'", "known: keepalive, logging, workers"),
        ({"workers": 0}, "arm x: proxy.workers: expected a whole number from 1, or \"cores\", got 0", None),
        ({"workers": -2}, "arm x: proxy.workers: expected a whole number from 1, or \"cores\", got -2", None),
        ({"workers": "all"}, 'arm x: proxy.workers: expected a whole number from 1, or "cores", got "all"', None),
        ({"workers": True}, "arm x: proxy.workers: expected a whole number from 1, or \"cores\", got true", None),
        ({"keepalive": "cores"}, 'arm x: proxy.keepalive: expected a whole number from 1, got "cores"', None),
        ({"keepalive": False}, "arm x: proxy.keepalive: expected a whole number from 1, got false", None),
        ({"logging": 1}, "arm x: proxy.logging: expected true or false, got 1", None),
        ({"logging": "on"}, 'arm x: proxy.logging: expected true or false, got "on"', None),
    ],
)  # fmt: skip
def test_a_setting_that_does_not_fit_is_named(
    tmp_path: Path, given: dict[str, bool | int | str], message: str, hint: str | None
) -> None:
    define_proxy(tmp_path)
    with pytest.raises(UsageError) as caught:
        read.read_program("proxy").resolve_settings(given, 4, "arm x")
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_program_without_settings_says_so(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh="")
    with pytest.raises(UsageError) as caught:
        read.read_program("built").resolve_settings({"workers": 1}, 4, "arm x")
    assert caught.value.hint == "built has no settings"


CLUSTER = (
    NGINX_LIKE
    + """
[settings.manager]
kind = "choice"
choices = ["node", "pm2"]
default = "node"
doc = "who keeps the processes"

[settings.instances]
kind = "cores"
default = "cores"
doc = "processes"
when = {{ manager = "pm2" }}
"""
)


def test_a_setting_is_refused_where_it_has_no_effect(tmp_path: Path) -> None:
    define(tmp_path, "proxy", CLUSTER.format(executable="my-proxy"))
    resolve = read.read_program("proxy").resolve_settings
    assert resolve({}, 4, "arm x")["instances"] == 4
    assert resolve({"manager": "pm2", "instances": 2}, 4, "arm x")["instances"] == 2
    refused: list[dict[str, SettingValue]] = [{"instances": 4}, {"instances": "cores", "manager": "node"}]
    for given in refused:
        with pytest.raises(UsageError) as caught:
            resolve(given, 4, "arm x")
        assert caught.value.message == 'arm x: proxy.instances has no effect with manager = "node"'
        assert caught.value.hint == 'set manager = "pm2" there too, or leave instances out'


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ('{{ manger = "pm2" }}', "settings.instances.when: manger: no setting is called so"),
        ('{{ manager = "pm3" }}', 'settings.instances.when: manager: expected "node" or "pm2", got "pm3"'),
    ],
)
def test_a_setting_cannot_depend_on_what_is_not_there(tmp_path: Path, when: str, message: str) -> None:
    define(tmp_path, "proxy", CLUSTER.replace('{{ manager = "pm2" }}', when).format(executable="my-proxy"))
    with pytest.raises(UsageError, match=message):
        read.read_program("proxy")


def test_an_unknown_program_gets_the_nearest(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    define(tmp_path, "built", BUILT, make_sh="")
    assert read.shipped_programs() == ["built", "proxy"]
    with pytest.raises(UsageError) as caught:
        read.read_program("proxi")
    assert caught.value.message == "no program is called 'proxi'"
    assert caught.value.hint == "did you mean 'proxy'?"


def test_a_definition_that_does_not_fit_names_file_and_key(tmp_path: Path) -> None:
    define(tmp_path, "proxy", NGINX_LIKE.format(executable="x").replace('doc = "how many"', 'dok = "how many"'))
    with pytest.raises(UsageError) as caught:
        read.read_program("proxy")
    place = tmp_path / "programs" / "proxy" / "program.toml"
    assert caught.value.message == f"{place}: settings.workers: Object contains unknown field `dok`"
    assert caught.value.hint == "did you mean 'doc'?"


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ('{{ contents = "lua" }}', "needs.lua.when: contents: no setting is called so"),
        ('{{ content = "fixed" }}', "needs.lua.when: content: that is its default"),
    ],
)
def test_a_need_that_refers_to_nothing_is_refused(tmp_path: Path, when: str, message: str) -> None:
    define_needing(tmp_path, NEEDING.replace('{{ content = "lua" }}', when))
    with pytest.raises(UsageError, match=message):
        read.read_program("proxy")


def test_config_must_be_one_of_the_files(tmp_path: Path) -> None:
    define(tmp_path, "proxy", 'config = "other.conf"\n' + NGINX_LIKE.format(executable="proxy"))
    with pytest.raises(UsageError, match=r"config: 'other\.conf' is none of its files"):
        read.read_program("proxy")
