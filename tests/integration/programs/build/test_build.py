"""`hopcost build` on programs that are folders of the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.programs import BUILT, MAKE, built_files, define, define_proxy, script

from hopcost.errors import CannotMeasure
from hopcost.programs import receipt
from hopcost.programs.build import build
from hopcost.programs.definition.definition import Installed

pytestmark = pytest.mark.usefixtures("own_programs")


def test_bytes_that_are_no_text_are_no_bug(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    script(tmp_path, "my-proxy", "printf '\\377 proxy/3.1'")
    assert receipt.installed("proxy").version == "3.1"
    define(tmp_path, "built", BUILT, make_sh="printf 'no \\377 luck'; exit 1\n")
    with pytest.raises(CannotMeasure, match="no \N{REPLACEMENT CHARACTER} luck"):
        build.build_program("built")


def test_what_is_not_built_yet_says_how(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    assert receipt.installed("built") == Installed(missing="not built yet", remedy="hopcost build built")
    assert built_files(tmp_path) == []


def test_what_cannot_be_built_says_what_to_install(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT.replace('tool = "sh"', 'tool = "no-such-tool"'), make_sh=MAKE)
    remedy = "install a shell, then: hopcost build built"
    assert receipt.installed("built") == Installed(missing="'no-such-tool' is not installed", remedy=remedy)
    with pytest.raises(CannotMeasure) as caught:
        build.build_program("built")
    assert caught.value.message == "built cannot be built: 'no-such-tool' is not installed"
    assert caught.value.hint == remedy


def test_a_build_makes_the_program_and_nothing_else(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    assert receipt.installed("built").missing == "not built yet"
    build.build_program("built")
    (path,) = built_files(tmp_path)
    assert receipt.installed("built") == Installed(path=str(path), version="0.9")
    assert path.name == "built"


def test_a_build_is_done_once(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    build.build_program("built")
    (path,) = built_files(tmp_path)
    before = path.stat()
    build.build_program("built")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_other_sources_are_another_program(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    build.build_program("built")
    define(tmp_path, "built", BUILT, make_sh=MAKE.replace("0.9", "1.0"))
    assert receipt.installed("built").missing == "not built yet"
    build.build_program("built")
    assert receipt.installed("built").version == "1.0"
    assert len(built_files(tmp_path)) == 2


def test_a_failed_build_shows_its_last_lines_and_leaves_nothing(tmp_path: Path) -> None:
    lines = 'echo half > "$1"\nfor i in 01 02 03 04 05 06 07 08 09 10 11 12; do echo "line $i"; done\nexit 3\n'
    define(tmp_path, "built", BUILT, make_sh=lines)
    with pytest.raises(CannotMeasure) as caught:
        build.build_program("built")
    head, *shown = caught.value.message.splitlines()
    assert head.startswith("built cannot be built: sh make.sh ")
    assert head.endswith(" ended with 3:")
    assert shown == [f"line {number:02}" for number in range(3, 13)]
    assert built_files(tmp_path) == []


def test_a_build_is_seen_whole_or_not_at_all(tmp_path: Path) -> None:
    """While the build writes, nothing stands under the program's name; the build itself looks."""
    look = 'echo half > "$1"\nls "$(dirname "$1")" > seen\n'
    define(tmp_path, "built", BUILT, make_sh=look + MAKE)
    build.build_program("built")
    assert (tmp_path / "programs" / "built" / "seen").read_text().split() == []  # the unfinished file is hidden
    assert [path.name for path in built_files(tmp_path)] == ["built"]
    assert receipt.installed("built").version == "0.9"


def test_a_build_that_makes_nothing_is_told(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT, make_sh="exit 0\n")
    with pytest.raises(CannotMeasure) as caught:
        build.build_program("built")
    assert caught.value.message.startswith("built cannot be built: ")
    assert "No such file or directory" in caught.value.message


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    (tmp_path / "a-file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a-file"))
    with pytest.raises(CannotMeasure) as caught:
        build.build_program("built")
    assert caught.value.message.startswith("built cannot be built: ")
    assert str(tmp_path / "a-file") in caught.value.message
    assert caught.value.hint == "programs are built into the user's cache; XDG_CACHE_HOME names another place for it"


def test_missing_builds_are_made_and_the_reasons_of_others_kept(tmp_path: Path) -> None:
    define_proxy(tmp_path)
    define(tmp_path, "built", BUILT, make_sh=MAKE)
    define(tmp_path, "broken", BUILT.replace('"built"', '"broken"'), make_sh="echo no luck; exit 1\n")
    begun: list[str] = []
    problems = build.build_missing(["proxy", "built", "broken"], build.telling(begun.append))
    assert begun == ["built", "broken"]
    assert [problem.splitlines()[-1] for problem in problems] == ["no luck"]
    assert receipt.installed("built").version == "0.9"
    assert receipt.installed("broken").missing == "not built yet"
    begun.clear()
    assert build.build_missing(["built"], build.telling(begun.append)) == []
    assert begun == []


def test_what_no_tool_can_build_is_not_announced(tmp_path: Path) -> None:
    define(tmp_path, "built", BUILT.replace('tool = "sh"', 'tool = "no-such-tool"'), make_sh=MAKE)
    begun: list[str] = []
    problems = build.build_missing(["built"], build.telling(begun.append))
    assert (begun, problems) == ([], ["built cannot be built: 'no-such-tool' is not installed"])
