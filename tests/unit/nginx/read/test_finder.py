"""Files lie in the user's folder for /etc/nginx, links of a copied folder included."""

from __future__ import annotations

from pathlib import Path

from hopcost.nginx.read.finder import Finder, supplied_for, supplied_texts
from hopcost.nginx.tree import parse_file


def test_a_link_into_etc_nginx_means_the_copy(tmp_path: Path) -> None:
    (tmp_path / "sites-available").mkdir()
    (tmp_path / "sites-available" / "a").write_text("x;")
    (tmp_path / "sites-enabled").mkdir()
    (tmp_path / "sites-enabled" / "a").symlink_to("/etc/nginx/sites-available/a")
    finder = Finder(tmp_path, tmp_path)
    assert finder.names_of("sites-enabled/*") == ("/etc/nginx/sites-enabled/a",)
    assert finder.path_of("/etc/nginx/sites-enabled/a") == tmp_path / "sites-available" / "a"


def test_placed_files_match_globs_too(tmp_path: Path) -> None:
    finder = Finder(tmp_path, tmp_path, {"/etc/nginx/conf.d/x.conf": tmp_path / "x"})
    assert finder.names_of("conf.d/*.conf") == ("/etc/nginx/conf.d/x.conf",)
    assert finder.names_of("*.conf") == ()
    assert finder.names_of("conf.d/x.conf") == ("/etc/nginx/conf.d/x.conf",)


def test_an_include_may_leave_the_folder(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "a.conf").write_text("x;")
    finder = Finder(tmp_path / "conf", tmp_path / "machine")
    (name,) = finder.names_of("../conf.d/*.conf")
    assert finder.path_of(name).resolve() == tmp_path / "conf.d" / "a.conf"


def test_all_supplied_files_are_configurations_and_nginx_conf_is_no_one_of_them() -> None:
    for name, text in supplied_texts().items():
        assert parse_file(text, name)
    assert supplied_for("/x/mime.types")
    assert supplied_for("/etc/nginx/nginx.conf") is None
    assert supplied_for("/etc/nginx/mine.conf") is None
