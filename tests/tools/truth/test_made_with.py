"""What keys the kept runs of `make truth`: the digest of the engine's sources."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopcost.errors import CannotMeasure
from hopcost.plan.method import METHOD
from tools.truth import made_with


def engine(folder: Path) -> Path:
    for room in made_with.ROOMS:
        (folder / room / "deeper").mkdir(parents=True)
        (folder / room / "mod.rs").write_text(f"// {room}\n")
        (folder / room / "deeper" / "send.rs").write_text("fn send() {}\n")
    return folder


def test_the_digest_is_of_the_hot_path_and_its_edges_alone(tmp_path: Path) -> None:
    sources = engine(tmp_path)
    before = made_with.digest(sources)
    (sources / "load").mkdir()
    (sources / "load" / "json.rs").write_text("// what it prints\n")
    (sources / "main.rs").write_text("// its command line\n")
    (sources / "wire" / "tests.rs").write_text("// a test\n")
    (sources / "client" / "tests").mkdir()
    (sources / "client" / "tests" / "opening.rs").write_text("// a test\n")
    assert made_with.digest(sources) == before
    for room in made_with.ROOMS:
        digest = made_with.digest(sources)
        (sources / room / "deeper" / "send.rs").write_text("fn send() { wait() }\n")
        assert made_with.digest(sources) != digest, room


def test_the_digest_does_not_depend_on_where_the_sources_are(tmp_path: Path) -> None:
    assert made_with.digest(engine(tmp_path / "here")) == made_with.digest(engine(tmp_path / "there"))


def test_a_renamed_file_changes_it(tmp_path: Path) -> None:
    sources = engine(tmp_path)
    before = made_with.digest(sources)
    (sources / "io" / "mod.rs").rename(sources / "io" / "other.rs")
    assert made_with.digest(sources) != before


def test_this_checkout_has_all_rooms() -> None:
    assert all(list((made_with.SOURCES / room).rglob("*.rs")) for room in made_with.ROOMS)
    build = made_with.build()
    assert (build.method, build.behaviour, len(build.digest)) == (METHOD.number, METHOD.engine, 12)


def test_an_engine_that_is_older_than_its_sources_measures_nothing(tmp_path: Path) -> None:
    sources, binary = engine(tmp_path / "src"), tmp_path / "hopcost-engine"
    binary.write_bytes(b"")
    newest = (sources / "io" / "mod.rs").stat().st_mtime
    os.utime(binary, (newest + 10, newest + 10))
    made_with.require_built(binary, sources)
    os.utime(sources / "io" / "mod.rs", (newest + 20, newest + 20))
    with pytest.raises(CannotMeasure, match="is older than io/mod\\.rs"):
        made_with.require_built(binary, sources)
