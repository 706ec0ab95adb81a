"""Several processes write to one file of SQLite, one of them dies, or the disk is full: nothing is half kept."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from histories.simulated import simulated_history
from histories.writers import assert_whole, run_writer, run_writers, start_writer

from hopcost.errors import MeasurementFailed
from hopcost.history.history import History

MAIN = {"branch": "main"}


def test_four_processes_make_the_database_and_keep_one_record_each_and_one_together(tmp_path: Path) -> None:
    together, *own = simulated_history(tmp_path / "records", [0.5] * 5, labels=MAIN)
    database = str(tmp_path / "h.sqlite")
    ended = run_writers([start_writer(database, [together, record]) for record in own])
    assert [(code, errors) for code, _, errors in ended] == [(0, "")] * 4
    assert sorted(said[0] for _, said, _ in ended) == ["already", "already", "already", "new"]
    assert [said[1] for _, said, _ in ended] == ["new"] * 4
    with History.open(database) as history:
        assert_whole(history, 5)


@pytest.mark.parametrize("moment", ["schema", "points", "commit"])
def test_a_writer_that_is_killed_leaves_nothing_half_kept_and_holds_up_nobody(tmp_path: Path, moment: str) -> None:
    first, second = simulated_history(tmp_path / "records", [0.5] * 2, labels=MAIN)
    database = str(tmp_path / "h.sqlite")
    if moment != "schema":
        with History.open(database) as history:
            history.keep(first)
    code, said, _ = run_writer(database, [second], moment)
    assert (code, said) == (-signal.SIGKILL, [])
    with History.open(database) as history:
        if moment != "schema":
            assert_whole(history, 1)
            assert history.records()[0].path == str(first)
        history.keep(first)
        history.keep(second)
        assert_whole(history, 2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system; the unit test needs none")
def test_a_disk_that_is_really_full_is_told_and_the_history_stays_whole(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    records = simulated_history(tmp_path / "records", [0.5] * 40, labels=MAIN)
    size = "size=400k"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "hopcost-test", disk], check=False)
    if mounted.returncode != 0:
        pytest.skip("this root may not mount (a container)")
    try:
        kept = 0
        with History.open(str(disk / "h.sqlite")) as history:
            with pytest.raises(MeasurementFailed, match=r"the disk is full|its disk gives errors") as refused:
                for record in records:
                    history.keep(record)
                    kept += 1
            assert refused.value.hint is not None and "nothing of this record was kept" in refused.value.hint
            assert 0 < kept < len(records), "the disk is as full as it was meant to be"
            assert_whole(history, kept)
        subprocess.run(["mount", "-o", "remount,size=40m", disk], check=True)
        with History.open(str(disk / "h.sqlite")) as history:
            for record in records:
                history.keep(record)
            assert_whole(history, len(records))
    finally:
        subprocess.run(["umount", disk], check=True)
