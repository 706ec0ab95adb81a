"""A configuration is read with all that it includes, and what cannot be read is refused with file, line and a hint."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, others_configurations, own_configurations

from hopcost.errors import UsageError
from hopcost.nginx.read import read_configuration
from hopcost.nginx.sites import choose_site


def refused(path: Path, machine: Path) -> UsageError:
    with pytest.raises(UsageError) as error:
        read_configuration(path, machine)
    assert error.value.hint
    return error.value


@pytest.mark.parametrize("path", [*own_configurations(), *others_configurations()], ids=lambda path: path.parent.name)
def test_every_configuration_is_read_and_has_a_site(path: Path, tmp_path: Path) -> None:
    configuration = read_configuration(path, tmp_path)
    assert path.resolve() in configuration.paths.values()
    assert not choose_site(configuration).only_redirects


def test_includes_are_relative_to_nginx_conf_wherever_they_stand(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path,
        "include sites/*.conf;",
        **{"sites__b.conf": "include parts/x;", "sites__a.conf": "b;", "parts__x": "c;"},
    )
    assert list(configuration.files) == [
        "/etc/nginx/nginx.conf",
        "/etc/nginx/sites/a.conf",
        "/etc/nginx/sites/b.conf",
        "/etc/nginx/parts/x",
    ]
    assert configuration.name_of("/etc/nginx/parts/x") == "parts/x"


def test_paths_below_etc_nginx_lie_in_the_folder_and_others_below_the_machine(tmp_path: Path) -> None:
    (tmp_path / "machine" / "opt").mkdir(parents=True)
    (tmp_path / "machine" / "opt" / "x.conf").write_text("b;")
    configuration = configuration_of(tmp_path, "include /etc/nginx/a/*;\ninclude /opt/*.conf;", a__c="a;")
    assert list(configuration.files)[1:] == ["/etc/nginx/a/c", "/opt/x.conf"]


def test_a_glob_takes_no_dotted_files_and_without_a_match_it_is_silent_but_for_sites(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path, "include modules-enabled/*.conf;\ninclude conf.d/*.conf;", **{"conf.d__.a.conf": "b;"}
    )
    assert list(configuration.files) == ["/etc/nginx/nginx.conf"]
    assert [note.partition(": ")[2] for note in configuration.notes] == [
        "no file matches conf.d/*.conf: sites that belong there are not measured"
    ]


def test_a_missing_include_is_told_with_its_line_and_where_it_belongs(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text("events {}\nhttp {\n  include parts/x.conf;\n}")
    error = refused(tmp_path / "nginx.conf", tmp_path)
    assert error.message == f"{tmp_path}/nginx.conf:3: the file that it includes, parts/x.conf, is not here"
    assert f"copy it to {tmp_path}/parts/x.conf" in (error.hint or "")


def test_what_nginx_brings_along_is_supplied_and_is_no_file_of_the_users(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path, "include mime.types;\nserver { include snippets/fastcgi-php.conf; }\nserver { include fastcgi.conf; }"
    )
    assert configuration.supplied == {
        "/etc/nginx/mime.types",
        "/etc/nginx/snippets/fastcgi-php.conf",
        "/etc/nginx/fastcgi.conf",
    }
    assert configuration.notes == ("not here, so hopcost's own stand in: mime.types, fastcgi-php.conf",)


def test_a_file_of_the_users_goes_before_the_supplied_one(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "include mime.types;", **{"mime.types": "types {}"})
    assert configuration.supplied == frozenset()


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text("http { include a; }")
    (tmp_path / "a").write_text("include a;")
    assert f"{tmp_path}/a:1: {tmp_path}/a includes itself" == refused(tmp_path / "nginx.conf", tmp_path).message


def test_a_folder_means_its_nginx_conf(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text("http { server { listen 80; } }")
    assert read_configuration(tmp_path, tmp_path).file == tmp_path / "nginx.conf"


@pytest.mark.parametrize("text", ["stream { server { listen 80; } }", "events {}", "worker_processes 1;"])
def test_a_main_file_without_http_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "nginx.conf").write_text(text)
    assert "has no `http` block" in refused(tmp_path / "nginx.conf", tmp_path).message


def test_texts_stay_byte_for_byte(tmp_path: Path) -> None:
    raw = b"http {\r\n\tserver { listen 80; } # caf\xe9 \xc3\xa9\r\n}"
    (tmp_path / "nginx.conf").write_bytes(raw)
    text = read_configuration(tmp_path, tmp_path).files["/etc/nginx/nginx.conf"]
    assert text.encode("utf-8", "surrogateescape") == raw


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.conf", tmp_path).message == f"{tmp_path}/none.conf does not exist"
    (tmp_path / "link.conf").symlink_to("/nowhere/x.conf")
    assert "is a link to /nowhere/x.conf, which is not here" in refused(tmp_path / "link.conf", tmp_path).message
    (tmp_path / "nginx.conf").write_text("http { include a; }")
    (tmp_path / "a").mkdir()
    assert refused(tmp_path, tmp_path).message == f"{tmp_path}/a is a folder, and nginx would stop at it"
