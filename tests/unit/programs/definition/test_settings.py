"""Settings of programs: every kind, what it takes, and what a definition must not say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hopcost.errors import UsageError
from hopcost.programs.definition.settings import SettingDefinition, SettingKind
from hopcost.suites.arms.arm import SettingValue


def definition(kind: str, default: SettingValue, *, least: int = 1, choices: Sequence[str] = ()) -> SettingDefinition:
    return SettingDefinition(kind=SettingKind(kind), default=default, doc="", least=least, choices=list(choices))


KEEPALIVE = definition("count", 300, least=0)
CACHE = definition("seconds", 0, least=0)
WORDS = '"round-robin" or "least_conn"'
BALANCE = definition("choice", "round-robin", choices=["round-robin", "least_conn"])


@pytest.mark.parametrize(
    ("setting", "value"),
    [(KEEPALIVE, 0), (KEEPALIVE, 5), (CACHE, 0), (CACHE, 5), (BALANCE, "least_conn"), (definition("count", 1), 1)],
)
def test_what_fits_is_taken_as_it_is(setting: SettingDefinition, value: int | str) -> None:
    assert setting.resolve(value, 4, "arm x: nginx.key") == value


def test_cores_is_the_number_of_the_stacks_cores() -> None:
    assert definition("cores", "cores").resolve("cores", 4, "") == 4


@pytest.mark.parametrize(
    ("setting", "value", "message", "hint"),
    [
        (KEEPALIVE, -1, "expected a whole number from 0, got -1", None),
        (KEEPALIVE, "5", 'expected a whole number from 0, got "5"', None),
        (definition("count", 1), 0, "expected a whole number from 1, got 0", None),
        (CACHE, -5, "expected a whole number of seconds from 0, got -5", None),
        (CACHE, "5s", 'expected a whole number of seconds from 0, got "5s"', None),
        (CACHE, True, "expected a whole number of seconds from 0, got true", None),
        (BALANCE, "least_con", f'expected {WORDS}, got "least_con"', "did you mean 'least_conn'?"),
        (BALANCE, 1, f"expected {WORDS}, got 1", None),
        (BALANCE, False, f"expected {WORDS}, got false", None),
    ],
)  # fmt: skip
def test_what_does_not_fit_says_what_would(
    setting: SettingDefinition, value: bool | int | str, message: str, hint: str | None
) -> None:
    with pytest.raises(UsageError) as caught:
        setting.resolve(value, 4, "arm x: nginx.key")
    assert (caught.value.message, caught.value.hint) == (f"arm x: nginx.key: {message}", hint)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (definition("count", 0), "x: default: expected a whole number from 1, got 0"),
        (definition("choice", "c", choices=["a", "b"]), 'x: default: expected "a" or "b", got "c"'),
        (definition("choice", "c"), 'x: choices: the kind "choice" needs them, and no other has them'),
        (definition("switch", True, choices=["a"]), 'x: choices: the kind "choice" needs them, and no other has them'),
        (definition("switch", True, least=0), "x: least: a switch has none"),
    ],
)
def test_a_definition_that_contradicts_itself_is_refused(setting: SettingDefinition, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        setting.check("x")
    assert caught.value.message == message
