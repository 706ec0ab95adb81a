"""The doctor on this machine."""

from __future__ import annotations

import pytest

from hopcost.machine import doctor


def test_examine_judges_everything_that_it_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    """On this machine, whatever it is: every line has a level, and no judgement is left out."""
    monkeypatch.setattr(doctor, "_watch", lambda: (0.0, 0.0))
    words = "\n".join(finding.what for finding in doctor.examine())
    for topic in ("physical", "SMT", "governor", "other load", "steal", "swap", "clock source", "open files", "frozen",
                  "io_uring", "autogroup", "hopcost-engine", "hopcost-origin", "nginx", "go-hello"):  # fmt: skip
        assert topic in words, topic
    assert "hypervisor" in words or "virtual machine" in words
