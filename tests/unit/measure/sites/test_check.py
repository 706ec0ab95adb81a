"""What is said of the machines of a fleet before they are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost import __version__
from hopcost.errors import CannotMeasure
from hopcost.measure.sites import check
from hopcost.measure.sites.check import Reached, parse_rights
from hopcost.measure.sites.hosts_file import Fleet, parse_fleet

ROOT = parse_rights("user: root\nroot: yes\nnamespaces: yes\ncgroups: yes\nfifo: yes\n")
NOBODY = parse_rights("user: bench\nroot: \n")
FLEET = parse_fleet('[hosts.a]\n[hosts.b]\n[[sites]]\nstack = "a"\n[[sites]]\nstack = "b"\n', "f", Path("/"))


def reached(fleet: Fleet, *addresses: str) -> list[Reached]:
    return [Reached(host, address, ROOT) for host, address in zip(fleet.hosts, addresses, strict=True)]


def test_root_lacks_nothing() -> None:
    assert ROOT.lost(alone=True) == ROOT.lost(alone=False) == []


def test_an_ordinary_user_hears_what_is_lost() -> None:
    alone, apart = NOBODY.lost(alone=True), NOBODY.lost(alone=False)
    assert [words.partition(" (")[0] for words in alone] == ["network namespaces", "a cgroup of its own"]
    assert [words.partition(" (")[0] for words in apart] == ["a cgroup of its own", "SCHED_FIFO"]


def test_another_version_is_refused_with_where_to_say_it() -> None:
    check.require_version("a", "hopcost", f"hopcost {__version__}\n")
    for output, words in {"hopcost 0.0.1\n": "it has hopcost 0.0.1", "": "it has no hopcost"}.items():
        with pytest.raises(CannotMeasure, match=words) as told:
            check.require_version("a", "/opt/hopcost", output)
        assert "/opt/hopcost" in str(told.value.hint)


def test_the_controllers_address_is_the_one_that_all_sites_see() -> None:
    assert check.controller_address(FLEET, reached(FLEET, "10.0.0.1", "10.0.0.1")) == "10.0.0.1"
    with pytest.raises(CannotMeasure, match=r"10\.0\.0\.1, 10\.0\.1\.1"):
        check.controller_address(FLEET, reached(FLEET, "10.0.0.1", "10.0.1.1"))
    named = Fleet(FLEET.sites, FLEET.access, "10.9.9.9")
    assert check.controller_address(named, reached(FLEET, "10.0.0.1", "10.0.1.1")) == "10.9.9.9"


def test_whoever_makes_a_fleet_is_told_whom_it_trusts() -> None:
    alone = check.why_trusted(FLEET)
    assert "can run code on all the others" in alone and ": a, b." in alone and "SSH agent" not in alone
    text = '[hosts.a]\n[hosts.g]\n[[sites]]\nstack = "a"\ngenerators = ["g"]\n'
    assert "Your SSH agent is forwarded" in check.why_trusted(parse_fleet(text, "f", Path("/")))
