"""How busy the machine is, and with what: psutil is replaced."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from types import SimpleNamespace

import psutil
import pytest

from hopcost.machine import cpu_time, other_load
from hopcost.machine.other_load import OtherLoad


def process(name: str | None, percent: float | None, pid: int = 1) -> SimpleNamespace:
    return SimpleNamespace(info={"pid": pid, "name": name, "cpu_percent": percent})


def test_the_busiest_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = [process("init", 0.0), process("busy", 90.0), process("gone", None), process("half", 40.0)]
    processes += [process(None, 20.0), process("the doctor itself", 99.0, pid=os.getpid())]
    monkeypatch.setattr(psutil, "process_iter", lambda attributes: iter(processes))
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: 30.0)
    assert other_load.watch().busiest == ["busy", "half", "?"]


def test_the_watch_covers_every_process_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """psutil gives a process's share since the last time it was asked: the first answer is always 0."""
    asked: list[str] = []

    def processes(attributes: list[str]) -> Iterator[None]:
        asked.append(f"each {attributes}")
        yield from ()

    def share(interval: float) -> float:
        asked.append(f"all for {interval} s")
        return 25.0

    monkeypatch.setattr(psutil, "process_iter", processes)
    monkeypatch.setattr(psutil, "cpu_percent", share)
    monkeypatch.setattr(cpu_time, "steal_ns", lambda: 0)
    assert other_load.watch() == OtherLoad(busy=0.25, stolen=0.0, busiest=[])
    assert asked[:2] == ["each ['cpu_percent']", "all for 1.0 s"]


def test_steal_is_a_share_of_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, steal = iter([0, 1_000_000_000]), iter([5, 200_000_005])
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(clock))
    monkeypatch.setattr(cpu_time, "steal_ns", lambda: next(steal))
    monkeypatch.setattr(psutil, "process_iter", lambda attributes: iter([]))
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: 0.0)
    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)
    assert other_load.watch() == (0.0, pytest.approx(0.1), [])
