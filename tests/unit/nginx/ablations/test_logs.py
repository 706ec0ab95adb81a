"""Logs are off at every level, or written in pieces where nginx allows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import ablations_of, changed

PROXY = "location / { proxy_pass http://a:1; }"


def test_the_access_log_is_off_at_every_level(tmp_path: Path) -> None:
    text = f"access_log /a;\naccess_log /b;\nserver {{ access_log /c combined; {PROXY} }}"
    assert changed(tmp_path, text, "access-log-off") == f"access_log off;\nserver {{ access_log off; {PROXY} }}"


def test_without_any_the_default_log_is_switched_off(tmp_path: Path) -> None:
    assert changed(tmp_path, f"server {{ {PROXY} }}", "access-log-off") == f"server {{ {PROXY} access_log off; }}"


def test_a_log_that_is_off_is_no_candidate(tmp_path: Path) -> None:
    names = ablations_of(tmp_path, f"access_log off;\nserver {{ {PROXY} }}")
    assert not {"access-log-off", "access-log-buffer"} & set(names)


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("/a", "/a combined buffer=64k flush=5s"),
        ("/a timed", "/a timed buffer=64k flush=5s"),
        ("/a timed if=$x", "/a timed if=$x buffer=64k flush=5s"),
    ],
)
def test_a_log_is_written_in_pieces_with_its_format_named(tmp_path: Path, log: str, expected: str) -> None:
    text = f"access_log {log};\nserver {{ {PROXY} }}"
    assert changed(tmp_path, text, "access-log-buffer").startswith(f"access_log {expected};\n")
    assert ablations_of(tmp_path, text)["access-log-buffer"].is_offered


@pytest.mark.parametrize("log", ["syslog:server=x", "/a combined buffer=4k", "/$host.log", "/a combined gzip"])
def test_a_log_that_cannot_be_buffered_is_left_alone(tmp_path: Path, log: str) -> None:
    assert "access-log-buffer" not in ablations_of(tmp_path, f"access_log {log};\nserver {{ {PROXY} }}")


def test_a_talkative_error_log_says_less(tmp_path: Path) -> None:
    text = f"error_log /e debug;\nserver {{ {PROXY} }}"
    assert changed(tmp_path, text, "error-log-warn").startswith("error_log /e warn;\n")
    assert "error-log-warn" not in ablations_of(tmp_path, f"error_log /e;\nserver {{ {PROXY} }}")
