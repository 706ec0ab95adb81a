"""The header lines in effect are those of the innermost block that has any."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import configuration_of, context_of

from hopcost.nginx.ablations.keepalive.connection_header import closing_line, connection_header, header_block


def test_inner_lines_take_the_place_of_all_outer_ones(tmp_path: Path) -> None:
    text = "proxy_set_header Connection '';\nserver { proxy_set_header Host a; location / { proxy_pass http://a:1; } }"
    context = context_of(configuration_of(tmp_path, text))
    block, lines = header_block(context.chain)
    assert block is context.site.server
    assert [line.first for line in lines] == ["Host"]
    assert connection_header(context.chain) is None


def test_the_line_of_a_map_that_closes(tmp_path: Path) -> None:
    closes, keeps = "{ default upgrade; '' close; }", "{ default upgrade; '' ''; }"
    text = f"map $http_upgrade $a {closes}\nmap $http_upgrade $b {keeps}\nserver {{ }}"
    context = context_of(configuration_of(tmp_path, text))
    line = closing_line(context, "$a")
    assert line is not None and line.args == ("close",)
    assert closing_line(context, "$b") is None
    assert closing_line(context, "$c") is None
