"""The scripts, run by this machine's own `sh`: what the generator's machine would do."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hopcost.machine import facts
from hopcost.measure.fleet.reading import change, parse_facts, parse_reading
from hopcost.measure.fleet.ssh import scripts

GONE_S = 10.0  # a limit, not a measure


def run(script: str, *words: object, data: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = ["sh", "-c", scripts.shell_command(script, *map(str, words))]
    return subprocess.run(command, input=data, capture_output=True, check=False, env=os.environ | environment)


@contextmanager
def held(folder: Path, lease_s: float, script: str = scripts.HOLD) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A folder that is held under this one; its script ends with the test."""
    process = subprocess.Popen(
        ["sh", "-c", script, "sh", str(lease_s)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    with process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().decode().strip())
        finally:
            process.kill()


def test_a_folder_is_there_for_its_owner_until_its_input_ends(tmp_path: Path) -> None:
    with held(tmp_path, 30) as (process, folder):
        assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700
        assert run(scripts.PUT_FILES, folder, data=scripts.packed({"a.pem": b"x"})).returncode == 0
        assert (folder / "a.pem").read_bytes() == b"x" and (folder / "a.pem").stat().st_mode & 0o777 == 0o600
        assert process.stdin is not None
        process.stdin.close()
        process.wait(GONE_S)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("script", [scripts.HOLD, scripts.HOLD_RUN], ids=["generator", "run"])
def test_a_folder_goes_whose_name_nobody_reads_any_more(tmp_path: Path, script: str) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)  # as of a connection that ended while the folder was made
    subprocess.run(
        ["sh", "-c", script, "sh", "30"],
        stdin=subprocess.DEVNULL,
        stdout=write_end,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        timeout=GONE_S,
        check=False,
    )
    os.close(write_end)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_goes_when_nobody_speaks_and_stays_while_somebody_does(tmp_path: Path) -> None:
    with held(tmp_path, 1.5) as (process, folder):
        assert process.stdin is not None
        for _ in range(5):
            process.stdin.write(b".")
            process.stdin.flush()
            time.sleep(0.5)
        assert folder.is_dir() and process.poll() is None
        process.wait(GONE_S)
        assert not folder.exists()


def test_the_engine_of_a_folder_ends_with_it_and_no_other_program_does(tmp_path: Path) -> None:
    engine = tmp_path / "hopcost-engine-0123"
    shutil.copy(shutil.which("sleep") or "", engine)
    for program, is_ended in ((engine, True), (shutil.which("sleep"), False)):
        with subprocess.Popen([str(program), "60"]) as other, held(tmp_path, 30) as (process, folder):
            (folder / "engine.pid").write_text(f"{other.pid}\n")
            assert process.stdin is not None
            process.stdin.close()
            process.wait(GONE_S)
            if not is_ended:
                assert other.poll() is None
                other.kill()
            assert other.wait(GONE_S) == -9


def test_folders_of_dead_scripts_are_removed_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as dead:
        dead.wait()
    left = tmp_path / f"hopcost-generator-{dead.pid}-abc"
    living = tmp_path / f"hopcost-generator-{os.getpid()}-abc"
    for folder in (left, living):
        folder.mkdir()
    with held(tmp_path, 30):
        assert not left.exists() and living.exists()


def test_an_engine_is_found_once_it_is_whole(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    path, *digest = run(scripts.FIND_ENGINE, "hopcost-engine-1", XDG_CACHE_HOME=cache).stdout.decode().split()
    assert (path, digest) == (str(tmp_path / "cache" / "hopcost" / "hopcost-engine-1"), [])
    content = b"#!/bin/sh\necho version 1\n"
    cut = run(scripts.PUT_ENGINE, path, data=gzip.compress(content * 1000)[:-20])
    assert cut.returncode != 0 and list(Path(path).parent.iterdir()) == []
    assert run(scripts.PUT_ENGINE, path, data=gzip.compress(content)).returncode == 0
    assert Path(path).stat().st_mode & 0o777 == 0o700
    assert len(run(scripts.FIND_ENGINE, "hopcost-engine-1", XDG_CACHE_HOME=cache).stdout.decode().split()) == 2
    assert run(scripts.VERSION, path).stdout == b"version 1\n"


def test_this_machine_says_what_it_is() -> None:
    own = parse_facts(run(scripts.FACTS).stdout.decode())
    here = facts.facts()
    assert (own.kernel, own.architecture, own.cpu) == (here.kernel, here.architecture, here.cpu)
    assert (own.allowed_cores, own.hypervisor, own.clocksource) == (
        here.allowed_cores, here.hypervisor, here.clocksource or None,
    )  # fmt: skip
    assert own.memory_bytes == pytest.approx(here.memory_bytes, rel=0.01)


def test_this_machine_is_read_twice() -> None:
    before = parse_reading(run(scripts.READ).stdout.decode())
    after = parse_reading(run(scripts.READ).stdout.decode())
    assert os.getpid() in {process.pid for process in before.processes}
    own = change(before, after, facts.allowed_cores(), "hopcost-engine")
    assert own.elapsed_ns >= 0 and own.steal_ns >= 0
    assert after.reader in {process.pid for process in after.processes}
    assert not {before.reader, after.reader} & {program.pid for program in own.others}


def test_cores_are_looked_at() -> None:
    core = facts.allowed_cores()[0]
    done = run(scripts.STALL, 1_000_000, core, data=scripts.STALL_PROGRAM)
    assert int(done.stdout) > 0
