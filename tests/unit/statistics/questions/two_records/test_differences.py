"""What differs between two things, by key and by line."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hopcost.record import kept_files
from hopcost.statistics.questions.two_records import differences
from hopcost.statistics.questions.two_records.differences import Difference
from hopcost.suites.arms.arm import Arm, Hop, Link


def test_structures_differ_by_their_path() -> None:
    hop = Hop(program="nginx", link=Link.HTTP_TCP, settings={"gzip": True})
    first = Arm(hops=[hop, Hop(program="go-hello", link=Link.HTTP_TCP)])
    second = msgspec.structs.replace(first, hops=[msgspec.structs.replace(hop, settings={"gzip": False}, copies=2)])
    assert differences.diff(first, second) == [
        Difference("hops[0].settings.gzip", "true", "false"),
        Difference("hops[0].copies", "1", "2"),
        Difference("hops[1].program", "go-hello", "–"),
        Difference("hops[1].link", "http+tcp", "–"),
        Difference("hops[1].copies", "1", "–"),
    ]


@pytest.mark.parametrize("nothing", [None, {}, []])
def test_a_key_without_content_is_no_difference(nothing: dict[object, object] | list[object] | None) -> None:
    assert differences.diff({"a": 1, "new": nothing}, {"a": 1}) == []


def test_what_is_left_out_takes_all_below_it_along_and_nothing_else() -> None:
    a, b = {"load": 1, "loads": 1, "sysctls": {"x.y": "1"}}, {"load": 2, "loads": 2, "sysctls": {"x.y": "2"}}
    assert [difference.key for difference in differences.diff(a, b, but=("load", "sysctls"))] == ["loads"]


def test_of_many_lines_the_first_are_shown() -> None:
    shown = differences.diff_texts("", "\n".join(f"line {number}" for number in range(30)))
    assert shown[0] == "+ line 0" and len(shown) == 25 and shown[-1] == "… and 6 lines more"


def test_a_stacks_files_without_what_every_start_makes_anew(tmp_path: Path) -> None:
    folder = tmp_path / "stacks" / "one" / "arm"
    folder.mkdir(parents=True)
    (folder / "nginx.nginx.conf").write_text(
        "listen 127.0.0.1:2000; server unix:/var/tmp/hopcost-stack-9-8-7/go.sock;\n"
    )
    (folder / "commands.json").write_text('["/usr/sbin/nginx", "-p", "/tmp/hopcost-stack-1-2-3/"]')
    assert kept_files.kept_files(tmp_path, "one", "arm") == {
        "commands.json": '["sbin/nginx", "-p", "FOLDER/"]',
        "nginx.nginx.conf": "listen 127.0.0.1:PORT; server unix:FOLDER/go.sock;\n",
    }
    assert kept_files.kept_files(tmp_path, "one", "other") == {}
    assert kept_files.kept_files(Path("no-such-record"), "one", "arm") == {}
