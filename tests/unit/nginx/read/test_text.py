"""The digest tells every change of a file, and an edited configuration is read anew."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import configuration_of, directive

from hopcost.nginx.edits import Edit
from hopcost.nginx.tree import walk


def test_the_digest_is_that_of_all_files(tmp_path: Path) -> None:
    first = configuration_of(tmp_path, "include a;", a="b;").digest
    assert configuration_of(tmp_path, "include a;", a="b;").digest == first
    assert configuration_of(tmp_path, "include a;", a="b ;").digest != first


def test_edits_change_texts_and_tree_and_the_same_edit_counts_once(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "include a;\nserver { include a; }", a="gzip off;")
    gzip = directive(configuration, "gzip")
    edit = Edit(gzip.file, gzip.words[1].start, gzip.words[1].end, "on")
    changed = configuration.with_edits([edit, edit])
    assert changed.files["/etc/nginx/a"] == "gzip on;"
    assert [found.args for found, _ in walk(changed) if found.name == "gzip"] == [("on",), ("on",)]
    assert configuration.files["/etc/nginx/a"] == "gzip off;"
