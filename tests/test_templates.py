"""Templates of programs: words that depend on settings, includes, names by hop, and errors that name the file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hopcost import program, templates
from hopcost.errors import UsageError
from hopcost.program import Program
from hopcost.suite import Link

PROXY = Program(
    name="proxy",
    title="",
    links=[Link.HTTP_TCP],
    command=["run", "{{ '--log' if settings.log }}", "-c", "{{ name }}.conf"],
    version_command=["run"],
    version_pattern="(.*)",
    install="",
    files={"{{ name }}.conf": "proxy.conf.j2"},
    children="{{ settings.workers }}",
    forks="{{ settings.workers > 2 }}",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(program, "PROGRAMS", tmp_path)
    (tmp_path / "proxy").mkdir()
    (tmp_path / "proxy" / "proxy.conf.j2").write_text('{% set on = "yes" %}\na {{ name }};\n{% include "part.j2" %}\n')
    (tmp_path / "proxy" / "part.j2").write_text("\tb {{ on }};\n")
    return tmp_path / "proxy"


def context(workers: int, log: bool = False) -> dict[str, object]:
    return {"name": "proxy-2", "settings": {"workers": workers, "log": log}}


def test_words_files_children_and_forks_depend_on_settings(folder):
    few = templates.rendered(PROXY, context(2))
    assert few.command == ["run", "-c", "proxy-2.conf"]
    assert few.files == {"proxy-2.conf": "a proxy-2;\n\tb yes;\n"}
    assert (few.children, few.forks) == (2, False)
    many = templates.rendered(PROXY, context(3, log=True))
    assert (many.command[1], many.children, many.forks) == ("--log", 3, True)


def test_forks_may_simply_be_true(folder):
    assert templates.rendered(msgspec.structs.replace(PROXY, forks=True), context(1)).forks


@pytest.mark.parametrize(
    ("change", "text", "message"),
    [
        ({}, "{{ settings.nothing }}", "proxy.conf.j2: .*'nothing'"),
        ({}, "line\n{% if %}", "proxy.conf.j2:2: "),
        ({"children": "many"}, "", "children: .*'many'"),
        ({"forks": "perhaps"}, "", "forks: 'perhaps'"),
        ({"command": ["{{ root }}"]}, "", "command: 'root' is undefined"),
    ],
)
def test_a_template_that_is_wrong_is_named(folder, change, text, message):
    (folder / "proxy.conf.j2").write_text(text)
    with pytest.raises(UsageError, match=message):
        templates.rendered(msgspec.structs.replace(PROXY, **change), context(1))
