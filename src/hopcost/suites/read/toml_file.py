"""A TOML file read into a strict msgspec structure; errors name the file, the key and the nearest known key.

Suites and programs both come through here.
"""

from __future__ import annotations

import math
import re
import tomllib
import typing
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from hopcost.errors import UsageError, nearest

T = TypeVar("T")
NOT_TOML = "strings stand in quotes, and a key stands once; hopcost init FILE writes a suite to begin with"


def read(path: Path, kind: type[T]) -> T:
    """The file's content as `kind`; UsageError when it cannot be read, is not TOML, or does not fit."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=_finite)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file in {path.resolve().parent}", _nearest_file(path)) from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a TOML file that may be read") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text (byte {error.start})", "save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}", NOT_TOML) from error
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message, where, in_key = _split(str(error))
        place = _readable(_named(kind, data, where, in_key))
        raise UsageError(f"{path}: {place}: {message}", _hint(kind, message, where)) from error


def _nearest_file(path: Path) -> str:
    """The TOML file there whose name is nearest, or those that are there."""
    there = [file.name for file in path.parent.glob("*.toml")] if path.parent.is_dir() else []
    return nearest(path.name, there) if there else "no TOML file is there"


def _finite(text: str) -> float:
    """TOML's inf and nan are refused: records are JSON, which has no word for them."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _split(text: str) -> tuple[str, str, bool]:
    """msgspec's 'message - at `$.path`' in its two halves, and whether a key in there is meant ('at `key` in `$`').

    Without a place, the whole file is meant.
    """
    parts = re.fullmatch(r"(?s)(.*) - at `(key` in `)?(\$.*)`", text)
    return (parts[1], parts[3], parts[2] is not None) if parts else (text, "$", False)


def _readable(where: str) -> str:
    """`$.experiments[0].cores` → `experiments[0].cores`; the top is called so."""
    return where.removeprefix("$").removeprefix(".") or "top level"


def _named(kind: Any, data: Any, where: str, in_key: bool) -> str:
    """The place with the keys that msgspec leaves out: for each `[...]` the table's first entry that does not fit."""
    before, unnamed, after = where.partition("[...]")
    if not unnamed and not in_key:
        return where
    key_kind, value_kind = typing.get_args(_bare(_type_at(kind, before)))
    for key, value in _value_at(data, before).items():
        if unnamed and not _fits(value, value_kind):
            return f"{before}.{key}" + _named(value_kind, value, "$" + after, in_key).removeprefix("$")
        if not unnamed and not _fits(key, key_kind):
            return f"{before}: key '{key}'"
    return where


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _hint(kind: Any, message: str, where: str) -> str | None:
    """The nearest known key or word for an unknown one."""
    unknown, place = (
        re.search(r"unknown field `([^`]+)`|Invalid enum value '(.+)'", message),
        _bare(_type_at(kind, where)),
    )
    if unknown is None:
        return None
    if _is_structure(place):
        return nearest(unknown[1], place.__struct_encode_fields__)
    return nearest(unknown[2], [str(word.value) for word in place]) if _is_enum(place) else None


def _steps(where: str) -> list[tuple[str, str]]:
    """`$.a[0].b[...]` → a key or an index for each step."""
    return re.findall(r"\.([A-Za-z_]\w*)|(\[[^\]]*\])", where)


def _type_at(kind: Any, where: str) -> Any:
    """The type that stands at a msgspec path, or None."""
    for key, _ in _steps(where):
        kind = _bare(kind)
        if not key:
            kind = (typing.get_args(kind) or (None,))[-1]
        elif _is_structure(kind):
            by_key = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
            kind = typing.get_type_hints(kind, include_extras=True).get(by_key.get(key, ""))
        else:
            return None
    return kind


def _value_at(data: Any, where: str) -> Any:
    """What stands there in the file."""
    for key, index in _steps(where):
        data = data[key] if key else data[int(index[1:-1])]
    return data


def _bare(kind: Any) -> Any:
    """`Annotated[X, …] | None` → `X`."""
    if typing.get_origin(kind) is Annotated:
        return _bare(typing.get_args(kind)[0])
    kinds = [argument for argument in typing.get_args(kind) if argument is not type(None)]
    return _bare(kinds[0]) if type(None) in typing.get_args(kind) and kinds else kind


def _is_structure(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)
