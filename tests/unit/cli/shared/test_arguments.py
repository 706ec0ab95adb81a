"""Percentages, times and header fields on the command line."""

from __future__ import annotations

import pytest

from hopcost.cli.shared.arguments import read_header, read_path, read_percent, read_seconds
from hopcost.errors import UsageError


@pytest.mark.parametrize(("text", "share"), [("3%", 0.03), ("3", 0.03), ("0.5 %", 0.005)])
def test_a_percentage_may_have_its_sign(text: str, share: float) -> None:
    assert read_percent("--margin", text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "three", "0", "-3%", "51%", "nan", "3%%"])
def test_what_is_no_percentage(text: str) -> None:
    with pytest.raises(UsageError, match=r"--margin: expected a percentage from 0\.1 to 50"):
        read_percent("--margin", text)


def test_an_option_can_have_a_smaller_least_percentage() -> None:
    assert read_percent("--precision", "0.05%", least=0.05) == pytest.approx(0.0005)
    with pytest.raises(UsageError, match=r"--precision: expected a percentage from 0\.05 to 50, got '0\.04'"):
        read_percent("--precision", "0.04", least=0.05)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("5m", 300), ("1h", 3600), ("1.5 h", 5400), ("2.5", 2.5)]
)
def test_a_time_is_seconds_unless_it_has_a_unit(text: str, seconds: float) -> None:
    assert read_seconds("--time", text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-1", "0.5", "inf", "nan", "5 minutes", "5M", "1e3", "200h"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="--time: expected a time from 1 s to 168 h"):
        read_seconds("--time", text)


def test_an_option_can_have_a_longer_least_time() -> None:
    assert read_seconds("--soak-length", "10s", least=10) == 10
    with pytest.raises(UsageError, match="--soak-length: expected a time from 10 s to 168 h, got '9'"):
        read_seconds("--soak-length", "9", least=10)


@pytest.mark.parametrize(("text", "field"), [("Accept:  a b ", ["Accept", "a b"]), ("X-None:", ["X-None", ""])])
def test_a_header_field_is_a_name_and_a_value(text: str, field: list[str]) -> None:
    assert read_header(text) == field


@pytest.mark.parametrize("text", ["nonsense", ": value", "two words: secret", "A: b\nB: c"])
def test_what_is_no_header_field(text: str) -> None:
    with pytest.raises(UsageError, match="-H: expected 'NAME: VALUE'") as caught:
        read_header(text)
    assert "secret" not in caught.value.message


def test_hopcosts_own_header_fields_are_not_taken() -> None:
    with pytest.raises(UsageError, match="Connection is hopcost's own to send"):
        read_header("Connection: close")


def test_a_path_begins_with_a_slash() -> None:
    assert read_path("/a?b=c") == "/a?b=c"
    with pytest.raises(UsageError, match="--path: expected a path from /, got 'a'"):
        read_path("a")
