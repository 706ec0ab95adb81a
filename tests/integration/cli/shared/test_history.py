"""`--keep` of the verbs that measure: refused before anything is measured, kept from the host's network."""

from __future__ import annotations

import builtins
import threading
from pathlib import Path
from typing import Any

import pytest
from histories.simulated import simulated_record

from hopcost.cli.shared import history as options
from hopcost.errors import CannotMeasure, MeasurementFailed, UsageError
from hopcost.history.history import History
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.home import Home


def test_without_the_option_nothing_is_kept_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    options.ready_to_keep(None, None)(tmp_path / "no record")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="without --keep"):
        options.ready_to_keep(None, ["branch=main"])


def test_the_database_is_tried_before_anything_is_measured(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(UsageError, match="no database"):
        options.ready_to_keep(str(tmp_path / "letter"), None)
    with pytest.raises(UsageError, match="NAME=VALUE"):
        options.ready_to_keep(str(tmp_path / "h.sqlite"), ["main"])


def test_a_measured_record_is_kept_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOPCOST_DATABASE", str(tmp_path / "h.sqlite"))
    record = simulated_record(tmp_path / "r")
    options.ready_to_keep("", ["branch=main"])(record)
    assert capsys.readouterr() == ("", f"kept: {record} in {tmp_path / 'h.sqlite'}\n")
    with History.open() as history:
        assert history.records()[0].labels == {"branch": "main"}


def test_a_run_that_left_the_hosts_network_keeps_from_the_thread_that_stayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def keep(_history: History, _record: Path, *_: object, **__: object) -> Any:
        threads.append(threading.current_thread().name)
        raise MeasurementFailed("the connection to the server was lost", "as the database says")

    keep_record = options.ready_to_keep(str(tmp_path / "h.sqlite"), None)
    home = Home()
    monkeypatch.setattr(network, "home", lambda: home)
    monkeypatch.setattr(History, "keep", keep)
    with pytest.raises(MeasurementFailed, match="was lost") as refused:
        keep_record(tmp_path / "a record")
    assert threads == ["hopcost-home"]
    assert refused.value.hint == f"the record is whole: hopcost keep '{tmp_path}/a record', once that is mended"


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "hopcost.history.history":
            raise ModuleNotFoundError("No module named 'sqlalchemy'", name="sqlalchemy")
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CannotMeasure, match="the history needs sqlalchemy") as refused:
        options.open_history(None)
    assert refused.value.hint is not None and "hopcost's extra 'history'" in refused.value.hint
