"""The lines that make a jail's root folder, and what is done where a folder of this machine is in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.stacks.jail.made.layout import Bound, Folder, Item, Layout, Link, Written


def lines(*items: Item) -> list[str]:
    layout = Layout()
    layout.add(items)
    return layout.lines


@pytest.fixture
def here(tmp_path: Path) -> str:
    (tmp_path / "site" / "public").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("a")
    (tmp_path / "site" / "link").symlink_to("public")
    return str(tmp_path.resolve())


def test_files_and_folders_of_a_jail_alone(here: str) -> None:
    assert lines(Folder("/var/log/my logs"), Written("/etc/key", "k", secret=True), Link("/bin", "usr/bin")) == [
        'mkdir -p "$jail"/',
        '[ -e "$jail"/bin ] || ln -s usr/bin "$jail"/bin',
        "put k /etc/key 600",
        "mkdir -p \"$jail\"'/var/log/my logs'",
    ]


def test_what_this_machine_has_is_read_only(here: str) -> None:
    (line,) = lines(Bound("/srv/site", f"{here}/site"))
    assert line.startswith(f"have {here}/site /srv/site ro")


def test_what_is_there_by_a_folder_around_it_is_not_bound_again(here: str) -> None:
    assert (
        len(lines(Bound(f"{here}/site", f"{here}/site"), Bound(f"{here}/site/index.html", f"{here}/site/index.html")))
        == 1
    )


def test_a_folder_of_this_machine_that_is_written_is_covered(here: str) -> None:
    made = lines(Bound(f"{here}/site", f"{here}/site"), Folder(f"{here}/site/public"))
    assert made[1:] == [f"own {here}/site/public"]


def test_a_file_of_this_machine_is_covered_too(here: str) -> None:
    made = lines(Bound(f"{here}/site", f"{here}/site"), Written(f"{here}/site/index.html", "mine"))
    assert made[1:] == [f'mount --bind "$stack"/mine "$jail"{here}/site/index.html']


def test_where_this_machine_has_no_such_folder_one_with_the_same_entries_takes_its_place(here: str) -> None:
    made = lines(Bound(f"{here}/site", f"{here}/site"), Folder(f"{here}/site/logs"), Folder(f"{here}/site/more/logs"))
    assert made[1] == f"own {here}/site"
    assert [line.split()[:2] for line in made[2:5]] == [
        ["have", f"{here}/site/index.html"],
        ["ln", "-s"],
        ["have", f"{here}/site/public"],
    ]
    assert made[5:] == [f'mkdir -p "$jail"{here}/site/logs', f'mkdir -p "$jail"{here}/site/more/logs']


def test_the_order_of_the_items_does_not_matter(here: str) -> None:
    items: list[Item] = [Bound(f"{here}/site", f"{here}/site"), Folder(f"{here}/site/logs"), Folder("/run")]
    assert lines(*items) == lines(*reversed(items))
