"""What is added to a configuration as edits of its text, and which edits can be made together."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import configuration_of

from hopcost.nginx.edits import Edit, edited
from hopcost.stacks.jail.tried.added import Added, merge_edits


def test_of_two_edits_of_one_place_the_larger_one_is_kept() -> None:
    small, large, beside = Edit("a", 4, 6, "x"), Edit("a", 2, 9, ""), Edit("a", 9, 9, "y")
    assert merge_edits([small, large, beside]) == [large, beside]
    assert merge_edits([Edit("a", 2, 5, ""), Edit("a", 4, 9, "")]) == [Edit("a", 4, 9, "")]


def test_edits_of_other_files_and_insertions_at_one_place_are_all_kept() -> None:
    edits = [Edit("a", 3, 3, "x"), Edit("a", 3, 3, "y"), Edit("a", 3, 5, ""), Edit("b", 3, 5, "")]
    assert set(merge_edits([*edits, edits[0]])) == set(edits)
    assert edited("0123456", [edit for edit in merge_edits(edits) if edit.file == "a"])[3] in "xy"


def test_modules_variables_and_a_certificate_leave_the_lines_where_they_are(tmp_path: Path) -> None:
    text = configuration_of(tmp_path, "server { listen 80; return 200 a; }")
    added = Added(modules=["/m/ndk.so", "/m/lua.so"], variables=["country"], has_certificate=True)
    more = text.with_edits(added.all_edits(text))
    lines = more.files[text.main].splitlines()
    assert len(lines) == len(text.files[text.main].splitlines())
    assert lines[0].startswith("load_module /m/ndk.so; load_module /m/lua.so; events")
    assert 'map $host $country { default ""; }' in lines[1] and "ssl_certificate_key" in lines[1]
