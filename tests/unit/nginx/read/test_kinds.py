"""A site alone gets the nginx.conf around it that takes it in, or Debian's."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.nginx.read import read_configuration

SITE = "server { listen 80; return 200; }"


def test_a_site_alone_gets_debians_nginx_conf_around_it(tmp_path: Path) -> None:
    (tmp_path / "my.conf").write_text("include parts/a;\n" + SITE)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a").write_text("gzip on;")
    configuration = read_configuration(tmp_path / "my.conf", tmp_path)
    assert configuration.site_file == "/etc/nginx/sites-enabled/my.conf"
    assert configuration.paths["/etc/nginx/parts/a"] == tmp_path / "parts" / "a"
    assert configuration.main in configuration.supplied
    assert configuration.notes == (f"{tmp_path}/my.conf is a site alone: Debian's nginx.conf stands around it",)


def test_a_site_that_an_nginx_conf_above_it_includes_is_read_with_that(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text("http { include conf.d/*.conf; }")
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "a.conf").write_text(SITE)
    configuration = read_configuration(tmp_path / "conf.d" / "a.conf", tmp_path)
    assert configuration.site_file == "/etc/nginx/conf.d/a.conf"
    assert configuration.paths[configuration.main] == tmp_path / "nginx.conf"


@pytest.mark.parametrize(
    ("pattern", "name", "site"),
    [
        ("sites-enabled/*", "sites-available/a", "/etc/nginx/sites-enabled/a"),
        ("conf.d/*.conf", "conf.d/templates/a.conf", "/etc/nginx/conf.d/a.conf"),
        ("conf.d/*.conf", "sites-available/a", "/etc/nginx/conf.d/a.conf"),
        ("conf.d/*.conf; include sites-enabled/*", "sites-available/a", "/etc/nginx/sites-enabled/a"),
    ],
)
def test_a_site_that_is_not_enabled_is_put_where_it_would_be(
    tmp_path: Path, pattern: str, name: str, site: str
) -> None:
    (tmp_path / "nginx.conf").write_text(f"http {{ include {pattern}; }}")
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(SITE)
    configuration = read_configuration(tmp_path / name, tmp_path)
    assert configuration.site_file == site
    assert len(configuration.notes) == 1
    assert configuration.name_of(site) == name


def test_a_site_of_sites_available_has_the_folder_above_as_its_own(tmp_path: Path) -> None:
    (tmp_path / "sites-available").mkdir()
    (tmp_path / "sites-available" / "a").write_text("include snippets/x;" + SITE)
    (tmp_path / "snippets").mkdir()
    (tmp_path / "snippets" / "x").write_text("gzip on;")
    assert read_configuration(tmp_path / "sites-available" / "a", tmp_path).folder == tmp_path


def test_a_part_of_a_site_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text("location / { return 200; }")
    with pytest.raises(UsageError, match="is a part of a site: it has no `server` block"):
        read_configuration(tmp_path / "a.conf", tmp_path)
