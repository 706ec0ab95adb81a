"""Templates of programs: words that depend on settings, includes, names by hop, and errors that name the file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hopcost.errors import UsageError
from hopcost.programs.definition import templates
from hopcost.programs.definition.definition import Program
from hopcost.suites.arms.arm import Link

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
def folder(tmp_path: Path) -> Path:
    (tmp_path / "proxy").mkdir()
    (tmp_path / "proxy" / "proxy.conf.j2").write_text('{% set on = "yes" %}\na {{ name }};\n{% include "part.j2" %}\n')
    (tmp_path / "proxy" / "part.j2").write_text("\tb {{ on }};\n")
    return tmp_path / "proxy"


def context(workers: int, log: bool = False) -> dict[str, object]:
    return {"name": "proxy-2", "settings": {"workers": workers, "log": log}}


def test_words_files_children_and_forks_depend_on_settings(folder: Path) -> None:
    few = templates.render(PROXY, folder, context(2))
    assert few.command == ["run", "-c", "proxy-2.conf"]
    assert few.files == {"proxy-2.conf": "a proxy-2;\n\tb yes;\n"}
    assert (few.children, few.forks) == (2, False)
    many = templates.render(PROXY, folder, context(3, log=True))
    assert (many.command[1], many.children, many.forks) == ("--log", 3, True)


def test_forks_may_simply_be_true(folder: Path) -> None:
    assert templates.render(msgspec.structs.replace(PROXY, forks=True), folder, context(1)).forks


@pytest.mark.parametrize(
    ("change", "text", "message"),
    [
        ({}, "line\n{{ settings.nothing }}", "proxy.conf.j2:2: .*'nothing'"),
        ({}, "{% include 'gone.j2' %}", "proxy.conf.j2:1: it includes 'gone.j2', and there is no such file"),
        ({}, "line\n{% if %}", "proxy.conf.j2:2: "),
        ({"children": "many"}, "", "children: .*'many'"),
        ({"forks": "perhaps"}, "", "forks: 'perhaps'"),
        ({"command": ["{{ root }}"]}, "", "command: 'root' is undefined"),
    ],
)
def test_a_template_that_is_wrong_is_named(
    folder: Path, change: dict[str, list[str] | str], text: str, message: str
) -> None:
    (folder / "proxy.conf.j2").write_text(text)
    with pytest.raises(UsageError, match=message):
        templates.render(msgspec.structs.replace(PROXY, **change), folder, context(1))


OWN = msgspec.structs.replace(PROXY, config="{{ name }}.conf", files=PROXY.files | {"more": "part.j2"})


@pytest.fixture
def config(folder: Path, tmp_path: Path) -> Path:
    """A configuration of somebody's own, outside the program's folder; it includes a template from either folder."""
    (folder / "part.j2").write_text("the program's part\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "beside.j2").write_text("beside {{ name }}\n")
    path = tmp_path / "mine" / "new.conf"
    path.write_text('mine {{ settings.workers }};\n{% include "beside.j2" %}\n{% include "part.j2" %}\n')
    return path


def test_an_own_configuration_stands_in_place_of_the_programs(folder: Path, config: Path) -> None:
    files = templates.render(OWN, folder, context(2), config).files
    assert files == {"proxy-2.conf": "mine 2;\nbeside proxy-2\nthe program's part\n", "more": "the program's part\n"}
    assert templates.render(OWN, folder, context(2)).files["proxy-2.conf"].startswith("a proxy-2;")


def test_it_is_read_once_for_all_blocks(folder: Path, config: Path) -> None:
    first = templates.render(OWN, folder, context(2), config).files
    config.write_text("edited while the run went on")
    assert templates.render(OWN, folder, context(2), config).files == first


@pytest.mark.parametrize(
    ("text", "file", "message"),
    [
        ("one\ntwo {{ workers }}\n", "new.conf", "new.conf:2: 'workers' is undefined"),
        ("one\ntwo\n{% if %}\n", "new.conf", "new.conf:3: Expected an expression"),
        ("{{ oops }}", "beside.j2", "mine/beside.j2:1: 'oops' is undefined"),
        ("{% endif %}", "beside.j2", "mine/beside.j2:1: Encountered unknown tag 'endif'"),
    ],
)
def test_its_errors_name_file_and_line(folder: Path, config: Path, text: str, file: str, message: str) -> None:
    config.with_name(file).write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        templates.render(OWN, folder, context(1), config)
    assert caught.value.message.startswith(str(config.parent))


def test_one_that_cannot_be_read_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.conf: No such file"):
        templates.render(OWN, folder, context(1), tmp_path / "gone.conf")
