"""Machines that cannot be used: what is said, and what to do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import command
import pytest
from texts import suite_files

from tools.docs.results.hosts import GENERATOR, Hosts

pytestmark = pytest.mark.timeout(120)


def refused(hosts: Hosts, folder: Path, *options: object) -> str:
    """What it says on standard error; it ends with 3 and makes no record."""
    record = folder / "record"
    suite = suite_files.write(folder)
    words = [suite, "links", "--quick", "--time", 3, "--anyway", "--record", record, *options]
    run = command.hopcost("run", *words, before=hosts.inside)
    assert run.returncode == 3, run.stdout + run.stderr
    assert not record.exists()
    return run.stderr


def test_a_host_key_that_is_not_known_is_not_accepted(two_machines: Hosts, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    for text in ("", f"{GENERATOR} {(tmp_path / 'other.pub').read_text()}"):
        known = tmp_path / "known"
        known.write_text(text)
        said = refused(two_machines, tmp_path, *two_machines.options[:-1], known)
        assert "its host key is not the one" in said
        assert f"hint: ssh root@{GENERATOR} once" in said


def test_a_key_that_is_not_let_in(two_machines: Hosts, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    options = [word if word != str(two_machines.folder / "id") else tmp_path / "other" for word in two_machines.options]
    said = refused(two_machines, tmp_path, *options)
    assert "it lets root not log in" in said
    assert "ssh-copy-id" in said and "(masked)" not in said


def test_a_machine_that_is_not_there(two_machines: Hosts, tmp_path: Path) -> None:
    said = refused(two_machines, tmp_path, "--on", f"g={GENERATOR}:23", *two_machines.options[2:])
    assert "it cannot be reached" in said


def test_an_address_that_is_not_reached_from_there(two_machines: Hosts, tmp_path: Path) -> None:
    assert "does not reach this machine at 127.0.0.1" in refused(
        two_machines, tmp_path, *two_machines.options, "--address", "127.0.0.1"
    )
    assert "nothing can listen on 192.0.2.1" in refused(
        two_machines, tmp_path, *two_machines.options, "--address", "192.0.2.1"
    )


def test_an_engine_that_does_not_run_there(two_machines: Hosts, tmp_path: Path) -> None:
    """A whole file of the right digest is trusted; one that was cut is sent again, a folder that cannot be is said."""
    folder = two_machines.cache / "hopcost"
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("in the way")
    try:
        assert "the load engine cannot be put into" in refused(two_machines, tmp_path, *two_machines.options)
    finally:
        folder.unlink()
