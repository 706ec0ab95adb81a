"""How a suite is found: by name, by path, and its experiments by theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.suite_texts import write

from hopcost.errors import UsageError
from hopcost.suites.read import read_suite, shipped_suites


def test_an_experiment_is_found_by_name(tmp_path: Path) -> None:
    read = read_suite(write(tmp_path))
    assert read.experiment("second") is read.experiments[1]
    with pytest.raises(UsageError) as caught:
        read.experiment("secnd")
    assert caught.value.message == "suite mine has no experiment 'secnd'"
    assert caught.value.hint == "did you mean 'second'?"


def test_an_unknown_suite_gets_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        read_suite("nginx-g")
    assert caught.value.message == "no suite is called 'nginx-g'"
    assert caught.value.hint == "did you mean 'nginx-go'? A path to a file ends in .toml."


@pytest.mark.parametrize("name", ["none.toml", "./none", "some/none"])
def test_a_word_with_a_slash_or_the_ending_is_a_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        read_suite(name)
    folder = (tmp_path / name).resolve().parent
    assert caught.value.message == f"{Path(name)}: no such file in {folder}"
    assert caught.value.hint == "no TOML file is there"


def test_a_file_that_is_not_there_gets_the_nearest(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(UsageError) as caught:
        read_suite(str(tmp_path / "mien.toml"))
    assert caught.value.hint == "did you mean 'mine.toml'?"


def test_a_path_is_read_from_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert read_suite("mine.toml").name == "mine"


def test_suites_come_with_hopcost() -> None:
    assert "nginx-go" in shipped_suites()


def test_paths_of_a_hop_are_taken_from_the_suites_folder(tmp_path: Path) -> None:
    program = '{ program = "other", link = "http+tcp"'
    path = write(tmp_path, program, program + ', config = "conf/a.conf.j2", binary = "/opt/nginx"')
    (hop,) = read_suite(path).arms["unused"].hops
    assert (hop.config, hop.binary) == (str(tmp_path / "conf" / "a.conf.j2"), "/opt/nginx")


def test_an_essay_names_the_article_that_it_is_about() -> None:
    for name in shipped_suites():
        suite = read_suite(name)
        if suite.article is not None:
            assert f'The article "{suite.article.title.partition(" – ")[0]}"' in suite.analysis, name
