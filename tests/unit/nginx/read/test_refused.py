"""Templates, links checked out as text and files that are no configuration are refused, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of

from hopcost.errors import UsageError
from hopcost.nginx.read.refused import refuse_no_configuration


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;\nuser <%= @user %>;", "x.conf:2: '<%' makes this an ERB template, which nginx cannot read"),
        (
            "{% if tls %}\nlisten 443;\n{% endif %}",
            "x.conf:1: '{%' makes this a Jinja template, which nginx cannot read",
        ),
        ("listen {{ port }};", "x.conf:1: '{{' makes this a Jinja or Go template, which nginx cannot read"),
        ('server_name "{{ host }}";', "x.conf:1: '{{' makes this a Jinja or Go template, which nginx cannot read"),
        ("a;\nlisten {{.Port}};", "x.conf:2: '{{' makes this a Jinja or Go template, which nginx cannot read"),
        ("{{- range $a }}\n", "x.conf:1: '{{' makes this a Jinja or Go template, which nginx cannot read"),
        (
            "../sites-available/a.conf\n",
            "x.conf holds only a path, ../sites-available/a.conf: it is a symbolic link that "
            "was checked out as a text file",
        ),
        (" \n", "x.conf is empty"),
        ("a\0b", "x.conf is no text"),
    ],
)
def test_what_nginx_could_not_read_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        refuse_no_configuration(text, "x.conf")
    assert refused.value.message == message
    assert refused.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "# {{ comment }} <% too %>\nlisten 80;",
        "content_by_lua_block { local a = {{ x }} }",
        "location ~ a{2} { return 200; }",
        """log_format j '{"a":{"b":"$host"}}';""",
    ],
)
def test_what_only_looks_like_a_template_is_none(text: str) -> None:
    refuse_no_configuration(text, "x.conf")


def test_a_variable_in_capitals_that_nothing_sets_is_of_envsubst(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        configuration_of(tmp_path, "server { listen ${PORT}; }")
    assert refused.value.message == (
        f"{tmp_path}/nginx.conf:3: nothing sets the variable ${{PORT}}: this is a template for envsubst"
    )
    assert "render it first" in (refused.value.hint or "")


def test_all_variables_of_the_file_are_rendered_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        configuration_of(tmp_path, "server { listen ${PORT}; server_name $NAME; return 200 ${PORT}; }")
    assert (refused.value.hint or "").startswith("render it first: envsubst '${PORT} $NAME' < ")


def test_a_variable_in_capitals_may_be_set(tmp_path: Path) -> None:
    configuration_of(
        tmp_path,
        "map $host $APP { default a; }\nserver { set $X 1; server_name ~^(?<SUB>a)$; return 200 $X$APP$SUB; }",
    )
