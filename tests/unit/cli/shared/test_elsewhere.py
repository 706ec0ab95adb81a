"""The options of a generator elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.cli.shared.elsewhere import read_elsewhere
from hopcost.errors import UsageError
from hopcost.measure.fleet.ssh.names import Access, Elsewhere, Login
from hopcost.record.secrets import mask_text


def test_without_on_there_is_no_other_machine() -> None:
    assert read_elsewhere(None, None, None, None) is None


@pytest.mark.parametrize(
    ("address", "keys", "known", "option"),
    [("10.0.0.1", None, None, "--address"), (None, [Path("k")], None, "--ssh-key"), (None, None, Path("k"), "--known")],
)
def test_options_that_mean_nothing_without_it_are_refused(
    address: str | None, keys: list[Path] | None, known: Path | None, option: str
) -> None:
    with pytest.raises(UsageError, match=f"{option}.*: without --on"):
        read_elsewhere(None, address, keys, known)


def test_everything_is_taken(tmp_path: Path) -> None:
    key, known = tmp_path / "key", tmp_path / "known"
    key.touch()
    known.touch()
    assert read_elsewhere("g=b", None, None, None) == Elsewhere((Login("b"),))
    assert read_elsewhere("s=a,g=b", None, None, None) == Elsewhere((Login("b"),), stacks=Login("a"))
    assert read_elsewhere("g=b", "10.0.0.1", [key], known) == Elsewhere(
        (Login("b"),), Access((key,), known), "10.0.0.1"
    )


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing: there is no such file") as refused:
        read_elsewhere("g=b", None, [tmp_path / "nothing"], None)
    assert refused.value.hint is not None and mask_text(refused.value.hint) == refused.value.hint
