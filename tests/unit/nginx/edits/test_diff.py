"""A diff has the changed lines of the user's own files and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, directive, own

from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.diff import patch_folder, unified_diff
from hopcost.nginx.edits.make import remove, set_arguments


def test_only_changed_files_and_lines_are_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    others = {"conf.d__a": "gzip on;\nserver { listen 80; }\n", "conf.d__b": "# b\n"}
    configuration = configuration_of(tmp_path, "include conf.d/*;", **others)
    gzip = directive(configuration, "gzip")
    assert unified_diff(configuration, [set_arguments(gzip, "off")]) == (
        "--- conf.d/a\n+++ conf.d/a\n@@ -1,2 +1,2 @@\n-gzip on;\n+gzip off;\n server { listen 80; }\n"
    )
    assert patch_folder(configuration) is None


def test_a_configuration_elsewhere_is_patched_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "there").mkdir()
    configuration = configuration_of(tmp_path / "there", "gzip on;")
    assert patch_folder(configuration) == tmp_path / "there"
    assert unified_diff(configuration, [remove(configuration, directive(configuration, "gzip"))]).startswith(
        "--- nginx.conf\n+++ nginx.conf\n"
    )


def test_a_last_line_without_its_end_is_told_as_patch_wants_it(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "include a;", a="gzip on;")
    lines = unified_diff(configuration, [set_arguments(directive(configuration, "gzip"), "off")]).splitlines()
    assert lines[3:] == ["-gzip on;", "\\ No newline at end of file", "+gzip off;", "\\ No newline at end of file"]


def test_line_ends_stay(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "include a;", a="x\r1;\r\ngzip on;\r\n")
    diff = unified_diff(configuration, [set_arguments(directive(configuration, "gzip"), "off")])
    assert diff.endswith("@@ -1,2 +1,2 @@\n x\r1;\r\n-gzip on;\r\n+gzip off;\r\n")


def test_what_hopcost_supplied_is_not_in_it() -> None:
    configuration = own("always-upgrade")
    gzip = directive(configuration, "gzip")
    assert gzip.file in configuration.supplied
    assert unified_diff(configuration, [set_arguments(gzip, "off")]) == ""


def test_an_edit_that_changes_nothing_makes_no_diff(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "gzip on;")
    assert unified_diff(configuration, [Edit(configuration.main, 0, 0, "")]) == ""
