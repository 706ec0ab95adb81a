"""Reports are made one at a time, and nobody waits for ever."""

from __future__ import annotations

import threading

import pytest

from hopcost.errors import CannotMeasure
from hopcost.page.views import in_turn as module
from hopcost.page.views.in_turn import in_turn


def test_one_at_a_time_and_the_next_one_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), in_turn():
        raise ZeroDivisionError
    with in_turn():
        pass


def test_who_waits_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.01)
    refused: list[CannotMeasure] = []

    def wait() -> None:
        try:
            with in_turn():
                raise AssertionError("it is not its turn")
        except CannotMeasure as error:
            refused.append(error)

    with in_turn():
        other = threading.Thread(target=wait)
        other.start()
        other.join()
    assert [error.hint for error in refused] == ["ask again in a minute"]
