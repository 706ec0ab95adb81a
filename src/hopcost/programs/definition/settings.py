"""The settings of a program: what values each takes, its default, and what a suite's value comes to here."""

from __future__ import annotations

import re
from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import UsageError, nearest
from hopcost.suites.arms.arm import SettingValue

SWITCH = {"true": True, "on": True, "false": False, "off": False}  # a switch on the command line


class SettingKind(Enum):
    """What values a setting takes; `CORES` is a count, or the word "cores" for as many as the stack has."""

    CORES = "cores"
    COUNT = "count"
    SECONDS = "seconds"
    SWITCH = "switch"
    CHOICE = "choice"
    PATH = "path"

    @property
    def is_number(self) -> bool:
        """Whether it takes whole numbers."""
        return self in (SettingKind.CORES, SettingKind.COUNT, SettingKind.SECONDS)


class ReceiptKind(Enum):
    """Where it shows under load that a setting is in effect."""

    CONTENT_ENCODING = "content-encoding"
    CHILDREN = "children"
    LISTENERS = "listeners"
    CONNECTIONS = "connections"
    PASSED = "passed"
    LOGGED = "logged"

    @property
    def log(self) -> str | None:
        """The file that it is read from, without the hop's name in front."""
        return {"passed": "passed.log", "logged": "access.log"}.get(self.value)


class SettingDefinition(msgspec.Struct, forbid_unknown_fields=True):
    """A knob of a program, with its default and what it does."""

    kind: Annotated[
        SettingKind,
        Meta(
            description='`cores`: a count, or `"cores"` for as many as the stack has; `count`: a whole number;'
            " `seconds`: a whole number of them; `switch`: on or off; `choice`: one of `choices`; `path`: an"
            " absolute path without spaces and signs of a configuration, or empty"
        ),
    ]
    default: Annotated[SettingValue, Meta(description="its value if nothing is set")]
    doc: Annotated[str, Meta(description="what it does")]
    least: Annotated[int, Meta(description="the smallest number that it takes; 0 if nothing at all has a meaning")] = 1
    choices: Annotated[list[str], Meta(description="the words of a `choice`")] = []
    receipt: Annotated[
        ReceiptKind | None, Meta(description="where its effect shows under load; see [Receipts](#receipts)")
    ] = None
    when: Annotated[
        dict[str, SettingValue],
        Meta(description="other settings with the values without which it has no effect: setting it is an error there"),
    ] = {}

    def resolve(self, value: SettingValue, cores: int, where: str) -> SettingValue:
        """The value as programs get it, "cores" replaced by the number; UsageError says what was expected."""
        if self.kind is SettingKind.CORES and value == "cores":
            return cores
        if not self._takes(value):
            hint = nearest(value, self.choices) if self.choices and isinstance(value, str) else None
            raise UsageError(f"{where}: expected {self.expected}, got {as_written(value)}", hint)
        return value

    def read(self, text: str, where: str) -> SettingValue:
        """The value as it is written on a command line; UsageError says what was expected.

        >>> switch = SettingDefinition(kind=SettingKind.SWITCH, default=True, doc="")
        >>> switch.read("off", "here")
        False
        """
        value: SettingValue = text
        if self.kind is SettingKind.SWITCH:
            value = SWITCH.get(text.lower(), text)
        elif self.kind.is_number and re.fullmatch(r"-?\d+", text, re.ASCII):
            value = int(text)
        self.resolve(value, 1, where)
        return value

    @property
    def expected(self) -> str:
        """What it takes, in words."""
        match self.kind:
            case SettingKind.SWITCH:
                return "true or false"
            case SettingKind.CHOICE:
                return " or ".join(f'"{word}"' for word in self.choices)
            case SettingKind.CORES:
                return f'a whole number from {self.least}, or "cores"'
            case SettingKind.SECONDS:
                return f"a whole number of seconds from {self.least}"
            case SettingKind.COUNT:
                return f"a whole number from {self.least}"
            case SettingKind.PATH:
                return "an absolute path of letters, digits, . _ + - and /"

    def check(self, where: str) -> None:
        """UsageError if the definition contradicts itself: the default does not fit, a choice without words."""
        if bool(self.choices) != (self.kind is SettingKind.CHOICE):
            raise UsageError(f'{where}: choices: the kind "choice" needs them, and no other has them')
        if self.least != 1 and not self.kind.is_number:
            raise UsageError(f"{where}: least: a {self.kind.value} has none")
        self.resolve(self.default, 1, f"{where}: default")

    def _takes(self, value: SettingValue) -> bool:
        if self.kind is SettingKind.SWITCH:
            return isinstance(value, bool)
        if self.kind is SettingKind.CHOICE:
            return value in self.choices
        if self.kind is SettingKind.PATH:
            return isinstance(value, str) and re.fullmatch(r"(/[\w.+/-]*)?", value) is not None
        return isinstance(value, int) and not isinstance(value, bool) and value >= self.least


def as_written(value: SettingValue) -> str:
    """As it stands in the suite."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
