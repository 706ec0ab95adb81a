"""Files with sites that nothing includes: those that answer first, dotted and included ones not at all."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import configuration_of

from hopcost.nginx.sites.unused import sites_not_included


def test_sites_that_no_include_takes_in(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path,
        "include a/*;",
        **{
            "a__taken": "server { }",
            "b__redirects": "server {\n return 301 https://x;\n}",
            "c__answers": "server {\n}",
            "c__.hidden": "server {\n}",
            "c__none": "gzip on;",
        },
    )
    assert sites_not_included(configuration) == [str(tmp_path / "c" / "answers"), str(tmp_path / "b" / "redirects")]
