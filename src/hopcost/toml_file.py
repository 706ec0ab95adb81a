"""A TOML file read into a strict msgspec structure; errors name the file, the key and the nearest known key.

It must not know what the files are about: suites and programs both come through here.
"""

from __future__ import annotations

import re
import tomllib
import typing
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hopcost.errors import UsageError, nearest

T = TypeVar("T")


def read(path: Path, kind: type[T]) -> T:
    """The file's content as `kind`; UsageError when it cannot be read, is not TOML, or does not fit."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message, where = _split(str(error))
        raise UsageError(f"{path}: {_readable(where)}: {message}", _hint(kind, message, where)) from error


def _split(text: str) -> tuple[str, str]:
    """msgspec's 'message - at `$.path`' in its two halves; without a place, the whole file is meant."""
    message, _, place = text.partition(" - at `")
    return message, place.rstrip("`") or "$"


def _readable(where: str) -> str:
    """`$.experiments[0].cores` → `experiments[0].cores`; the top is called so."""
    return where.removeprefix("$").removeprefix(".") or "top level"


def _hint(kind: Any, message: str, where: str) -> str | None:
    """The nearest known key for an unknown one."""
    unknown = re.search(r"unknown field `([^`]+)`", message)
    if unknown is None:
        return None
    structure = _descend(kind, where)
    return nearest(unknown[1], structure.__struct_encode_fields__) if structure is not None else None


def _descend(kind: Any, where: str) -> Any:
    """The structure class that stands at a msgspec path (`$.a[0].b[...]`), or None."""
    for step in re.findall(r"\.([A-Za-z_]\w*)|(\[[^\]]*\])", where):
        kind = _struct(kind)
        if step[0]:
            if kind is None:
                return None
            by_key = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
            kind = typing.get_type_hints(kind).get(by_key.get(step[0], ""))
        else:
            arguments = typing.get_args(_optional(kind))
            kind = arguments[-1] if arguments else None
    return _struct(kind)


def _optional(kind: Any) -> Any:
    """`X | None` → `X`."""
    rest = [argument for argument in typing.get_args(kind) if argument is not type(None)]
    return rest[0] if type(None) in typing.get_args(kind) and rest else kind


def _struct(kind: Any) -> Any:
    kind = _optional(kind)
    return (
        kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else kind if typing.get_args(kind) else None
    )
