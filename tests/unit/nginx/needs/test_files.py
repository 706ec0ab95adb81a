"""Folders and files are found by the directives that name them, by variables too."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import configuration_of

from hopcost.nginx.needs.files import BUILT_IN, FileKind, find_files, find_folders, find_roots


def test_folders_are_those_of_logs_caches_sockets_and_of_what_is_served(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path,
        "pid /run/a/nginx.pid; error_log stderr; http { access_log /logs/b/access.log; access_log /dev/stdout;\n"
        "access_log off; access_log syslog:server=x; proxy_cache_path /cache/c levels=1:2 keys_zone=a:1m;\n"
        "client_body_temp_path /tmp/d; server { listen unix:/sockets/e.sock; set $base /srv; root $base/f;\n"
        "location /g { alias html; } location /h { root $document_root; } } }",
    )
    folders = {folder.path: folder.is_written for folder in find_folders(configuration)}
    assert {path: folders[path] for path in folders if path not in BUILT_IN} == {
        "/run/a": True,
        "/logs/b": True,
        "/cache/c": True,
        "/tmp/d": True,
        "/sockets": True,
        "/srv/f": False,
        "/usr/share/nginx/html": False,
    }
    assert find_roots(configuration) == ["/srv/f", "/usr/share/nginx/html"]


def test_files_have_the_kind_that_their_directive_wants(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path,
        "ssl_dhparam dh.pem; ssl_trusted_certificate /ca.pem; ssl_session_ticket_key /t.key;\n"
        "auth_basic_user_file users; js_import main from /x.js;\n"
        "server { content_by_lua_file /a.lua; auth_basic_user_file $realm; }",
    )
    assert {file.path: file.kind for file in find_files(configuration)} == {
        "/etc/nginx/dh.pem": FileKind.DHPARAM,
        "/ca.pem": FileKind.AUTHORITIES,
        "/t.key": FileKind.TICKET_KEY,
        "/etc/nginx/users": FileKind.USERS,
        "/x.js": FileKind.JAVASCRIPT,
        "/a.lua": FileKind.LUA,
    }
