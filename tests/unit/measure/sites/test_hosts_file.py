"""hosts.toml: strict, and a machine is in one site only."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.measure.fleet.ssh.names import Login
from hopcost.measure.sites.hosts_file import Fleet, parse_fleet, read_fleet

HOSTS = """
controller = "10.0.0.1"
[defaults]
user = "bench"
hopcost = "/opt/hopcost/bin/hopcost"
[hosts.s1]
ssh = "10.0.0.11"
address = "192.168.7.11"
control = "10.1.0.11"
[hosts.g1]
port = 2222
user = "loader"
[hosts.s2]
[[sites]]
stack = "s1"
generators = ["g1"]
[[sites]]
stack = "s2"
"""


def parse(text: str) -> Fleet:
    return parse_fleet(text, "hosts.toml", Path("/nowhere"))


def test_sites_are_stacks_machines_with_or_without_a_generators() -> None:
    fleet = parse(HOSTS)
    first, second = fleet.sites
    assert (first.name, second.name) == ("s1", "s2")
    assert [host.name for host in first.generators] == ["g1"] and second.generators == ()
    assert first.stack.login == Login("10.0.0.11", "bench", 22)
    assert first.generators[0].login == Login("g1", "loader", 2222)
    assert (first.stack.bound, first.stack.address, second.stack.bound) == ("10.1.0.11", "192.168.7.11", "s2")
    assert {host.hopcost for host in fleet.hosts} == {"/opt/hopcost/bin/hopcost"}
    assert fleet.controller == "10.0.0.1"


def test_a_site_may_have_several_generators() -> None:
    fleet = parse(HOSTS.replace('["g1"]', '["g1", "g2"]').replace("[hosts.s2]", "[hosts.g2]\n[hosts.s2]"))
    assert [host.name for host in fleet.sites[0].generators] == ["g1", "g2"]


WRONG = {
    "an unknown key": ('stack = "s2"', 'stack = "s2"\nstacks = 1', "unknown field `stacks`"),
    "a machine that is not there": ('stack = "s2"', 'stack = "s3"', r"there is no \[hosts.s3\]"),
    "a machine in two sites": ('stack = "s2"', 'stack = "g1"', r"g1 is in sites\[0\] already"),
    "one machine under two names": ("[hosts.s2]", '[hosts.s2]\nssh = "10.0.0.11"', "are one machine"),
    "no TOML": ("[defaults]", "[defaults", "hosts.toml: "),
    "a port that is none": ("port = 2222", "port = 0", ">= 1"),
    "a file that is not there": ('user = "bench"', 'keys = ["id"]', "there is no file /nowhere/id"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_contradicts_itself_is_refused(what: str) -> None:
    old, new, words = WRONG[what]
    with pytest.raises(UsageError, match=words):
        parse(HOSTS.replace(old, new, 1))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"hosts\.toml: it cannot be read: No such file"):
        read_fleet(tmp_path / "hosts.toml")


def test_files_are_named_from_the_files_folder(tmp_path: Path) -> None:
    (tmp_path / "id").touch()
    (tmp_path / "hosts.toml").write_text(HOSTS.replace('user = "bench"', 'keys = ["id"]'))
    assert read_fleet(tmp_path / "hosts.toml").access.keys == (tmp_path / "id",)
