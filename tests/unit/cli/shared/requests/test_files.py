"""Files that options name: what a body may be, and what is no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.cli.shared.requests.files import read_body_text, refuse_missing
from hopcost.errors import UsageError
from hopcost.suites.experiments.request import MAX_BODY_BYTES


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_what_is_no_file_is_refused_with_its_option(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for read in (refuse_missing, read_body_text):
        with pytest.raises(UsageError) as caught:
            read("--ca", path)
        assert caught.value.message == f"--ca {path}: no such file"


def test_a_body_keeps_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "form"
    path.write_bytes("a=Zoë\r\nb\n".encode())
    refuse_missing("--body-file", path)
    assert read_body_text("--body-file", path) == "a=Zoë\r\nb\n"


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        (b"", ": 0 bytes", "from 1 to"),
        (b"PK\x03\x04 \xff", ": not UTF-8 text, from byte 5 on", "--body-bytes"),
    ],
    ids=["empty", "binary"],
)
def test_a_body_that_is_no_text_is_refused(tmp_path: Path, body: bytes, message: str, hint: str) -> None:
    path = tmp_path / "body"
    path.write_bytes(body)
    with pytest.raises(UsageError) as caught:
        read_body_text("--body-file", path)
    assert caught.value.message == f"--body-file {path}{message}" and hint in (caught.value.hint or "")


def test_a_body_that_no_suite_may_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "body"
    with path.open("wb") as file:
        file.truncate(MAX_BODY_BYTES + 1)  # a hole: it takes no room
    with pytest.raises(UsageError, match=f"{MAX_BODY_BYTES + 1:,} bytes"):
        read_body_text("--body-file", path)
