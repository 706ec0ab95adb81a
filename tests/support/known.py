"""Values that must be there, or near a figure."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

T = TypeVar("T")
near: Any = pytest.approx  # where a structure wants a number


def known(value: T | None) -> T:
    """The value; the test fails if it is None."""
    assert value is not None
    return value
