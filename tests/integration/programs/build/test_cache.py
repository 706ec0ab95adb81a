"""How sources become executables in the user's cache: whole or not at all, whatever comes in between."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from hopcost.errors import CannotMeasure
from hopcost.programs.build import cache as build_cache
from hopcost.programs.definition.definition import Build

FILE = Build(tool="sh", command=["sh", "make.sh", "{output}"], sources=["make.sh"])
FOLDER = Build(tool="sh", command=["sh", "make.sh"], sources=["make.sh", "lib/words"], executable="bin/say")
MAKE_FILE = 'printf "#!/bin/sh\\necho made\\n" > "$1"; chmod +x "$1"'
MAKE_FOLDER = """
mkdir bin
printf '#!/bin/sh\\ncat "$(dirname "$0")/../lib/words"\\n' > bin/say
chmod +x bin/say
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a program; the user's cache is this test's alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "source"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "words").write_text("whole\n")
    (folder / "make.sh").write_text(MAKE_FOLDER)
    return folder


def in_cache(source: Path) -> list[str]:
    """All that was built into the cache, hidden files too."""
    cache = source.parent / "cache" / "hopcost"
    files = [path for path in cache.rglob("*") if path.is_file() and path.name != build_cache.HELD]
    return sorted(str(path.relative_to(cache)) for path in files)


def say(executable: Path) -> str:
    return subprocess.run([executable], capture_output=True, text=True, check=True).stdout


def test_a_folder_is_built_where_its_sources_are_copied(source: Path) -> None:
    """As npm and cargo want it; the program's own folder stays as it is."""
    build_cache.make("say", source, FOLDER)
    executable = build_cache.path("say", source, FOLDER)
    assert say(executable) == "whole\n"
    assert [Path(path).name for path in in_cache(source)] == ["say", "words", "make.sh"]
    assert not (source / "bin").exists()


def test_the_path_holds_the_digest_of_sources_and_command(source: Path) -> None:
    before = build_cache.path("say", source, FOLDER)
    other = Build(tool="sh", command=["sh", "make.sh", "-x"], sources=FOLDER.sources, executable="bin/say")
    assert build_cache.path("say", source, other) != before
    (source / "lib" / "words").write_text("other\n")
    assert build_cache.path("say", source, FOLDER) != before


def test_a_later_build_finds_the_cache_of_the_one_before(source: Path) -> None:
    script = 'mkdir -p "$2"; echo once >> "$2/log"; cp "$2/log" "$1"'
    recipe = Build(tool="sh", command=["sh", "make.sh", "{output}", "{cache}"], sources=["make.sh"])
    for number in (1, 2):
        (source / "make.sh").write_text(f"{script} # {number}\n")
        build_cache.make("say", source, recipe)
    assert build_cache.path("say", source, recipe).read_text() == "once\nonce\n"


def test_a_folder_without_its_executable_is_no_build(source: Path) -> None:
    (source / "make.sh").write_text("mkdir bin\n")
    with pytest.raises(CannotMeasure, match=r"say cannot be built: .*bin/say: No such file"):
        build_cache.make("say", source, FOLDER)
    assert in_cache(source) == []


def test_a_failed_build_of_a_folder_leaves_nothing(source: Path) -> None:
    (source / "make.sh").write_text(f"{MAKE_FOLDER}\necho no luck\nexit 7\n")
    with pytest.raises(CannotMeasure, match=r"say cannot be built: sh make\.sh ended with 7:\nno luck"):
        build_cache.make("say", source, FOLDER)
    assert in_cache(source) == []


@pytest.mark.parametrize("lock", ["go.sum", "Cargo.lock", "package-lock.json"])
def test_where_libraries_are_fetched_a_failure_says_that_the_network_is_needed(source: Path, lock: str) -> None:
    (source / "make.sh").write_text("exit 1\n")
    (source / lock).touch()
    recipe = Build(tool="sh", command=["sh", "make.sh"], sources=["make.sh", lock])
    with pytest.raises(CannotMeasure) as caught:
        build_cache.make("say", source, recipe)
    assert caught.value.hint == f"a first build fetches what {lock} names: it needs the network"


def test_a_failed_build_says_what_it_needs(source: Path) -> None:
    """What is there may be too old."""
    (source / "make.sh").write_text("exit 1\n")
    (source / "go.sum").touch()
    hints = []
    for sources in (["make.sh"], ["make.sh", "go.sum"]):
        recipe = Build(tool="sh", command=["sh", "make.sh"], sources=sources)
        with pytest.raises(CannotMeasure) as caught:
            build_cache.make("say", source, recipe, "install a newer shell")
        hints.append(caught.value.hint)
    network = "a first build fetches what go.sum names: it needs the network"
    assert hints == ["install a newer shell", f"{network}; or install a newer shell"]


@pytest.mark.parametrize("recipe", [FILE, FOLDER], ids=["file", "folder"])
def test_two_builds_at_once_both_succeed_and_make_one_program(source: Path, recipe: Build) -> None:
    """Each waits in the middle until the other has begun, so both end with something to publish."""
    make = MAKE_FOLDER if recipe is FOLDER else MAKE_FILE
    meeting = source.parent / "meeting"
    meeting.mkdir()
    wait = f'touch {meeting}/$$; while [ "$(ls {meeting} | wc -l)" -lt 2 ]; do sleep 0.01; done\n'
    (source / "make.sh").write_text(wait + make)
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=build_cache.make, args=("say", source, recipe)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
    assert [process.exitcode for process in processes] == [0, 0]
    assert say(build_cache.path("say", source, recipe)) == ("whole\n" if recipe is FOLDER else "made\n")
    assert not [path for path in in_cache(source) if "/." in path]


def test_an_interrupted_build_ends_its_compilers_and_leaves_nothing(source: Path) -> None:
    pid_file = source.parent / "pid"
    (source / "make.sh").write_text(f"sleep 1000 & echo $! > {pid_file}.new; mv {pid_file}.new {pid_file}; wait\n")
    process = multiprocessing.get_context("fork").Process(target=interruptible, args=(source,))
    process.start()
    deadline = time.monotonic() + 30
    while not pid_file.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    compiler = psutil.Process(int(pid_file.read_text()))
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    process.join(30)
    assert process.exitcode == 130
    compiler.wait(30)
    assert in_cache(source) == []


def interruptible(source: Path) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        build_cache.make("say", source, FOLDER)
    except KeyboardInterrupt:
        os._exit(130)


def test_what_a_killed_build_left_is_removed_by_the_next_one(source: Path) -> None:
    """A build that runs keeps what it has so far."""
    output = build_cache.path("say", source, FOLDER).parents[1]
    with subprocess.Popen(["sleep", "1000"]) as alive, subprocess.Popen(["true"]) as dead:
        dead.wait()
        for process in (alive, dead):
            left = output.with_name(f".say-{process.pid}")
            left.mkdir(parents=True)
            (left / "half").touch()
        build_cache.make("say", source, FOLDER)
        assert output.with_name(f".say-{alive.pid}").exists()
        assert not output.with_name(f".say-{dead.pid}").exists()
        alive.kill()


# hopcost's own


def test_the_cache_is_removed_unless_a_process_holds_it_and_what_is_not_ours_stays(source: Path) -> None:
    place = source.parent / "cache" / "hopcost"
    for name in ("go-hello-0123456789abcdef", "actix-intermediate", "files", "mine"):
        (place / name).mkdir(parents=True)
        (place / name / "file").touch()
    code = "from hopcost.programs import build_cache; build_cache.hold(); print(flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"\n"
        assert not build_cache.remove()
        assert (place / "files" / "file").exists()
        holder.kill()
    assert build_cache.remove()
    assert [path.name for path in place.iterdir()] == ["mine"]


def test_an_empty_cache_folder_goes_too_and_without_one_there_is_nothing_to_remove(source: Path) -> None:
    place = source.parent / "cache" / "hopcost"
    (place / "files").mkdir(parents=True)
    assert build_cache.remove()
    assert not place.exists()
    assert build_cache.remove()
