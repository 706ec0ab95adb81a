"""What a person asks of a history: an arm by its name or its end, a time, and what is said if nothing is left."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from hopcost.cli.shared.requests.history import kept_arm, read_since, refuse_none, wanted_of
from hopcost.errors import UsageError

if TYPE_CHECKING:
    from hopcost.history.history import History

NOW = datetime.datetime(2026, 11, 25, 12, 0, tzinfo=datetime.UTC)
ARMS = [("nginx-go", "one-core", "nginx"), ("nginx-go", "two-cores", "nginx"), ("mine", "cost", "behind")]


class MockHistory:
    """Of these arms, on one machine."""

    place = "history.sqlite"

    def __init__(self, arms: list[tuple[str, str, str]]) -> None:
        self._arms = arms

    def arms(self) -> list[tuple[str, str, str]]:
        return self._arms

    def machines(self) -> list[tuple[str, str]]:
        return [("8" * 64, "ci-8")]


def history(*arms: tuple[str, str, str]) -> History:
    return cast("History", MockHistory(list(arms)))


@pytest.mark.parametrize(
    ("word", "arm"),
    [
        ("nginx-go/one-core/nginx", ARMS[0]),
        ("two-cores/nginx", ARMS[1]),
        ("behind", ARMS[2]),
    ],
)
def test_an_arm_is_named_by_its_end(word: str, arm: tuple[str, str, str]) -> None:
    assert kept_arm(word, history(*ARMS)) == arm


@pytest.mark.parametrize(
    ("word", "message"),
    [("nginx", "2 arms of the history end so"), ("hind", "no record of 'hind'"), ("", "no record of ''")],
)
def test_what_is_no_arm_or_several_is_one_clear_error(word: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        kept_arm(word, history(*ARMS))


def test_a_slip_of_the_finger_gets_the_nearest() -> None:
    with pytest.raises(UsageError) as refused:
        kept_arm("behnd", history(*ARMS))
    assert refused.value.hint == "did you mean 'behind'?"


def test_an_empty_history_says_how_it_is_filled() -> None:
    with pytest.raises(UsageError, match=r"empty: history\.sqlite") as refused:
        kept_arm("nginx", history())
    assert "hopcost keep" in (refused.value.hint or "")


def test_a_file_stands_for_the_name_of_its_suite(tmp_path: Path) -> None:
    file = tmp_path / "anything.toml"
    file.write_text(
        'name = "mine"\ntitle = "t"\n[arms.behind]\nhops = [{ program = "origin", link = "http+tcp" }]\n'
        '[[experiments]]\nname = "cost"\nquestion = "q?"\nbaseline = "behind"\narms = ["behind"]\n'
        'placement = "one-core"\n'
    )
    assert kept_arm(f"{file}/cost/behind", history(*ARMS)) == ARMS[2]


@pytest.mark.parametrize("text", ["", "0d", "30", "30m", "-3d", "yesterday", "2026-13-01", "2026-11", "99999999d"])
def test_a_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--since"):
        read_since(text, NOW)


def test_days_weeks_and_days_of_the_year() -> None:
    assert NOW - read_since("3w", NOW) == datetime.timedelta(days=21)
    assert read_since(" 1d ", NOW) == NOW - datetime.timedelta(days=1)
    assert read_since("2026-02-28", NOW) == datetime.datetime(2026, 2, 28, tzinfo=datetime.UTC)


def test_if_nothing_is_left_it_says_what_was_asked() -> None:
    wanted = wanted_of(history(*ARMS), "behind", since="2026-11-01", labels=["branch=main"], machine="ci-9")
    told = refuse_none(history(*ARMS), wanted)
    assert told.message == (
        "the history has no record of mine/cost/behind since 2026-11-01 with the label branch=main of the machine"
        " 'ci-9'"
    )
    assert told.hint == "machines of the history: 88888888 (ci-8)"
    assert "hopcost keep" in (refuse_none(history(*ARMS), replace(wanted, machine=None)).hint or "")
