"""Connections to the app stay open after the edits: pool, HTTP/1.1 and header, at every level where one stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import ablations_of, changed, others_configurations, own_configurations, seen_load

from hopcost.nginx.ablations import find_ablations
from hopcost.nginx.read import read_configuration
from hopcost.nginx.sites import choose_site

APP = "upstream app {\n    server a:1;\n}\n"
GOOD = "proxy_http_version 1.1; proxy_set_header Connection '';"


def site(inside: str) -> str:
    return APP + "server {\n    location / {\n" + inside + "\n    }\n}"


@pytest.mark.parametrize("path", [*own_configurations(), *others_configurations()], ids=lambda path: path.parent.name)
@pytest.mark.parametrize("version", [(1, 10, 0), (1, 22, 1), (1, 31, 0)])
@pytest.mark.parametrize("idle", [None, 2.0, 5.0, 75.0])
def test_after_the_edits_nothing_is_lacking(path: Path, version: tuple[int, ...], idle: float | None) -> None:
    configuration = read_configuration(path)
    seen = seen_load(idle_timeout_s=idle, connections=100)
    for ablation in find_ablations(configuration, choose_site(configuration), version, seen):
        if ablation.name.endswith("keepalive") and not ablation.name.startswith("no-"):
            edited = configuration.with_edits(ablation.edits)
            left = [one.name for one in find_ablations(edited, choose_site(edited), version, seen)]
            assert ablation.name not in left
            assert f"no-{ablation.name}" in left


def test_the_trio_is_added_to_a_block(tmp_path: Path) -> None:
    assert changed(tmp_path, site("        proxy_pass http://app;"), "keepalive") == (
        "upstream app {\n    server a:1;\n    keepalive 64;\n}\n"
        "server {\n    location / {\n        proxy_pass http://app;\n        proxy_http_version 1.1;\n"
        '        proxy_set_header Connection "";\n    }\n}'
    )


def test_a_pool_is_raised_above_the_connections_and_shared_by_the_workers(tmp_path: Path) -> None:
    text = site(GOOD + " proxy_pass http://app;").replace("server a:1;", "server a:1; keepalive 40;")
    assert "keepalive 128;" in changed(tmp_path, text, "keepalive", connections=100)
    assert "no-keepalive" in ablations_of(tmp_path, text, connections=100, workers=3)


def test_a_pool_that_kept_none_gets_its_time_out_with_it(tmp_path: Path) -> None:
    """One that kept some has a trap of its own there, which is mended whatever the pool saves."""
    text = site(GOOD + " proxy_pass http://app;")
    assert "keepalive_timeout 4s;" in changed(tmp_path, text, "keepalive", idle_timeout_s=5.0)
    few = text.replace("server a:1;", "server a:1; keepalive 8;")
    assert "keepalive_timeout" not in changed(tmp_path, few, "keepalive", idle_timeout_s=5.0)
    enough = text.replace("server a:1;", "server a:1; keepalive 64;")
    assert "no-keepalive" in ablations_of(tmp_path, enough, idle_timeout_s=5.0)


def test_header_lines_are_added_where_the_others_stand(tmp_path: Path) -> None:
    """In a block of their own they would take the place of all others."""
    text = "proxy_set_header Host $host;\n" + site("        proxy_pass http://app;")
    result = changed(tmp_path, text, "keepalive")
    assert result.startswith('proxy_set_header Host $host;\nproxy_set_header Connection "";\nupstream')
    assert result.count("proxy_set_header") == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("proxy_set_header Connection close;", 'proxy_set_header Connection "";'),
        ("proxy_set_header Connection $http_connection;", 'proxy_set_header Connection "";'),
        ("proxy_set_header connection 'Upgrade';", "proxy_set_header connection $connection_upgrade;"),
    ],
)
def test_a_header_that_closes_is_changed(tmp_path: Path, before: str, after: str) -> None:
    text = site(f"proxy_http_version 1.1; {before} proxy_pass http://app;")
    assert after in changed(tmp_path, text, "keepalive")


def test_a_fixed_upgrade_gets_a_map_and_websockets_still_work(tmp_path: Path) -> None:
    text = site('proxy_set_header Connection "upgrade"; proxy_pass http://app;')
    result = changed(tmp_path, text, "keepalive")
    assert "map $http_upgrade $connection_upgrade {\n    default upgrade;\n    ''      '';\n}\n\nserver" in result


def test_a_map_that_is_there_is_used_and_mended(tmp_path: Path) -> None:
    text = "map $http_upgrade $up { default upgrade; '' close; }\n" + site(
        'proxy_set_header Connection "upgrade"; proxy_pass http://app;'
    )
    result = changed(tmp_path, text, "keepalive")
    assert "map $http_upgrade $up { default upgrade; '' ''; }" in result
    assert "Connection $up;" in result
    assert result.count("map ") == 1


def test_a_map_by_which_plain_requests_close_is_mended(tmp_path: Path) -> None:
    text = 'map $http_upgrade $up { default upgrade; "" close; }\n' + site(
        "proxy_http_version 1.1; proxy_set_header Connection $up; proxy_pass http://app;"
    )
    assert "{ default upgrade; \"\" ''; }" in changed(tmp_path, text, "keepalive")


def test_an_http_version_of_1_0_is_changed_where_it_stands(tmp_path: Path) -> None:
    text = "proxy_http_version 1.0;\n" + site("proxy_pass http://app;")
    result = changed(tmp_path, text, "keepalive")
    assert result.startswith("proxy_http_version 1.1;\n")
    assert result.count("proxy_http_version") == 1


def test_inside_of_an_if_lines_are_added_outside_of_it(tmp_path: Path) -> None:
    text = site("        if ($arg_a) {\n            proxy_pass http://app;\n        }")
    result = changed(tmp_path, text, "keepalive")
    assert "        }\n        proxy_http_version 1.1;\n" in result


def test_without_anything_lacking_the_pool_is_taken_away_to_see_what_it_saves(tmp_path: Path) -> None:
    text = site(GOOD + " proxy_pass http://app;").replace("server a:1;\n", "server a:1;\n    keepalive 64;\n")
    ablation = ablations_of(tmp_path, text)["no-keepalive"]
    assert not ablation.is_offered
    assert "keepalive" not in changed(tmp_path, text, "no-keepalive")
    assert "keepalive 0;" in changed(tmp_path, text, "no-keepalive", version=(1, 30, 0))


def test_newer_nginx_keeps_connections_by_itself(tmp_path: Path) -> None:
    text = site("proxy_pass http://app;")
    assert "keepalive" not in ablations_of(tmp_path, text, version=(1, 30, 0))
    assert changed(tmp_path, text, "keepalive", version=(1, 30, 0), connections=50).count("proxy_") == 1


def test_fastcgi_is_a_change_of_its_own_and_never_offered(tmp_path: Path) -> None:
    ablation = ablations_of(tmp_path, site("fastcgi_pass app;"))["fastcgi-keepalive"]
    assert not ablation.is_offered
    assert "fastcgi_keep_conn on;" in changed(tmp_path, site("fastcgi_pass app;"), "fastcgi-keepalive")


def test_what_the_load_cannot_show_is_told(tmp_path: Path) -> None:
    text = site("proxy_pass http://app;") + " server { listen 81; location /x { proxy_pass http://app; } }"
    assert ablations_of(tmp_path, text)["keepalive"].unseen is None
    assert "closes each connection" in (ablations_of(tmp_path, text, idle_timeout_s=0)["keepalive"].unseen or "")
    static = ablations_of(tmp_path, text, is_from_upstream=False)["keepalive"]
    assert "--path" in (static.unseen or "")


def test_an_address_of_the_request_gets_no_edits(tmp_path: Path) -> None:
    assert "keepalive" not in ablations_of(tmp_path, "server { location / { proxy_pass http://$http_x; } }")
