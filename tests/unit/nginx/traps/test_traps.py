"""Each trap is found by its line, with words and edits that mend it, and a good configuration has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from texts.nginx_texts import configuration_of, others_configurations, own, own_configurations, seen_load

from hopcost.nginx.read import read_configuration
from hopcost.nginx.sites import choose_site
from hopcost.nginx.traps import Trap, find_traps

GOOD = """upstream app { server a:1; keepalive 64; }
server { location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; } }"""


def traps(folder: Path, text: str, version: tuple[int, ...] = (1, 22, 1), **known: object) -> list[tuple[str, int]]:
    configuration = configuration_of(folder, text)
    known_traps = find_traps(configuration, choose_site(configuration), version, seen_load(**known))
    return [(trap.name, trap.place.line) for trap in known_traps]


def own_traps(name: str, **known: object) -> list[Trap]:
    configuration = own(name)
    return find_traps(configuration, choose_site(configuration), (1, 22, 1), seen_load(**known))


def test_a_good_configuration_has_none(tmp_path: Path) -> None:
    assert traps(tmp_path, GOOD) == []


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        (GOOD.replace("keepalive 64; ", ""), {}, [("no-upstream-keepalive", 3)]),
        (GOOD.replace("keepalive 64", "keepalive 8"), {}, [("keepalive-too-small", 3)]),
        (GOOD.replace('""', "upgrade"), {}, [("always-upgrade", 4)]),
        (GOOD.replace('""', "close"), {}, [("says-close", 4)]),
        (GOOD.replace('proxy_set_header Connection ""; ', ""), {}, [("says-close", 4)]),
        (GOOD.replace("proxy_http_version 1.1; ", ""), {}, [("proxy-http-1-0", 4)]),
        (GOOD.replace('""', "$up") + "\nmap $http_upgrade $up { default upgrade; '' close; }", {}, [("map-closes", 5)]),
        (GOOD, {"idle_timeout_s": 5.0}, [("keepalive-outlives-app", 3)]),
        (GOOD.replace("keepalive 64;", "keepalive 64; keepalive_timeout 4s;"), {"idle_timeout_s": 5.0}, []),
        (GOOD.replace("keepalive 64;", "keepalive 64; least_conn;"), {}, [("keepalive-before-method", 3)]),
        (GOOD.replace("keepalive 64;", "least_conn; keepalive 64;"), {}, []),
        (GOOD.replace("http://app", "http://a:1"), {}, [("no-upstream-keepalive", 4)]),
        (GOOD.replace("http://app", "http://$host"), {}, [("address-by-variable", 4)]),
        ("gzip on; gzip_comp_level 9;\n" + GOOD, {}, [("compression-level", 3)]),
        ("error_log /e debug;\n" + GOOD, {}, [("error-log-debug", 3)]),
        ("add_header A b;\n" + GOOD.replace("location", "add_header C d; location"), {}, [("lost-add-header", 5)]),
        ("proxy_set_header Host b;\n" + GOOD, {}, [("lost-proxy-set-header", 5)]),
    ],
)
def test_a_trap_is_found_by_its_line(
    tmp_path: Path, text: str, known: dict[str, Any], expected: list[tuple[str, int]]
) -> None:
    assert traps(tmp_path, text, **known) == expected


def test_what_lets_requests_fail_stands_first_and_what_only_costs_last(tmp_path: Path) -> None:
    text = "error_log /e debug; add_header A b;\n" + GOOD.replace("location", "add_header C d; location")
    assert traps(tmp_path, text, idle_timeout_s=5.0) == [
        ("keepalive-outlives-app", 4),
        ("lost-add-header", 5),
        ("error-log-debug", 3),
    ]


def test_a_time_out_is_mended_by_itself_however_large_the_pool_is(tmp_path: Path) -> None:
    """A pool that is too small only costs CPU time; connections that close too late bring errors."""
    for size in (8, 64):
        configuration = configuration_of(tmp_path, GOOD.replace("keepalive 64;", f"keepalive {size};"))
        seen = seen_load(idle_timeout_s=5.0)
        trap = next(
            trap
            for trap in find_traps(configuration, choose_site(configuration), (1, 22, 1), seen)
            if trap.name == "keepalive-outlives-app"
        )
        edited = configuration.with_edits(trap.edits or ())
        assert f"keepalive {size}; keepalive_timeout 4s;" in " ".join("".join(edited.files.values()).split())


@pytest.mark.parametrize(
    ("keeps", "words"),
    [(None, "some apps close its connection"), (True, "yours keeps its connection"), (False, "yours closes")],
)
def test_what_a_fixed_upgrade_does_depends_on_the_app(keeps: bool | None, words: str) -> None:
    trap = next(
        trap for trap in own_traps("always-upgrade", keeps_when_upgrading=keeps) if trap.name == "always-upgrade"
    )
    assert words in trap.words


def test_traps_of_the_process(tmp_path: Path) -> None:
    text = (
        "worker_processes 2; worker_rlimit_nofile 30;\nevents {\n worker_connections 40;\n multi_accept on;\n}\n"
        f"http {{ {GOOD} }}"
    )
    assert traps(tmp_path, text) == [("open-files", 1), ("worker-connections", 3), ("multi-accept", 4)]
    assert traps(tmp_path, text, workers=1, connections=2) == [("open-files", 1)]


def test_over_http_2_each_request_at_a_time_takes_a_connection_to_the_app(tmp_path: Path) -> None:
    text = f"events {{ worker_connections 200; }}\nhttp {{ {GOOD} }}"
    assert traps(tmp_path, text, connections=16, streams=4) == []
    assert traps(tmp_path, text, connections=16, streams=5) == [("keepalive-too-small", 2)]
    assert traps(tmp_path, text, connections=16, streams=10) == [("worker-connections", 1), ("keepalive-too-small", 2)]


def test_newer_nginx_has_fewer_traps(tmp_path: Path) -> None:
    bare = "upstream app { server a:1; }\nserver { location / { proxy_pass http://app; } }"
    assert traps(tmp_path, bare, version=(1, 30, 0)) == []
    assert traps(tmp_path, bare, version=(1, 28, 0)) == [("no-upstream-keepalive", 3)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("few-kept-connections", ["keepalive-too-small", "keepalive-too-small"]),
        ("always-upgrade", ["keepalive-too-small", "always-upgrade"]),
        ("https-redirect", ["map-closes", "no-upstream-keepalive"]),
        ("by-map", ["multi-accept", "no-upstream-keepalive", "no-upstream-keepalive", "address-by-variable"]),
        ("several-servers", ["worker-connections", "no-upstream-keepalive"]),
        ("unknown-module", []),
    ],
)
def test_the_traps_of_our_own(name: str, expected: list[str]) -> None:
    assert [trap.name for trap in own_traps(name)] == expected


@pytest.mark.parametrize("path", [*own_configurations(), *others_configurations()], ids=lambda path: path.parent.name)
def test_the_edits_of_a_trap_mend_it(path: Path) -> None:
    configuration = read_configuration(path)
    seen = seen_load(idle_timeout_s=5.0)
    for trap in find_traps(configuration, choose_site(configuration), (1, 22, 1), seen):
        if trap.edits is not None:
            edited = configuration.with_edits(trap.edits)
            left = find_traps(edited, choose_site(edited), (1, 22, 1), seen)
            before = find_traps(configuration, choose_site(configuration), (1, 22, 1), seen)
            assert len([one for one in left if one.name == trap.name]) < len(
                [one for one in before if one.name == trap.name]
            )
