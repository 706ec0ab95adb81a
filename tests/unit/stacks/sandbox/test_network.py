"""What this machine allows with networks: the trial commands are replaced."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from hopcost.stacks.sandbox import network


def test_what_the_kernel_shapes_is_tried_and_the_reason_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []

    def tried(command: list[str], **_: object) -> SimpleNamespace:
        commands.append(command)
        is_netem = "netem" in command
        return SimpleNamespace(returncode=int(is_netem), stderr="x\nOSError: no netem\n" if is_netem else "")

    monkeypatch.setattr(subprocess, "run", tried)
    assert network.why_not_shaped() == {"tbf": None, "netem": "OSError: no netem"}
    assert len(commands) == 2
