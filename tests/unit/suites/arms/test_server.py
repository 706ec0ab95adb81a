"""A running server as an arm: whose processes are whose, and that no suite's file has one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from samples.servers import server

from hopcost.errors import UsageError
from hopcost.suites.read import read_suite

SUITE = """
name = "own"
title = "Own"
[arms.one]
hops = []
{server}
[[experiments]]
name = "one"
question = "?"
baseline = "one"
arms = ["one"]
placement = "all-cores"
"""
SERVER = 'server = { url = ":1", link = "http+tcp", address = "127.0.0.1:1", host = "localhost", target = "/" }'


def test_two_names_of_one_process_are_noticed() -> None:
    assert server(3000, 41, 42).shares_processes(server(4000, 42))
    assert not server(3000, 41).shares_processes(server(4000, 42))
    assert not server(3000).shares_processes(server(4000)), "of neither anything is known"


def test_a_cgroup_in_common_is_the_same_processes() -> None:
    hop = msgspec.structs.replace(server(3000, 41).hops[0], pids=[], cgroup="/sys/fs/cgroup/app")
    both = [msgspec.structs.replace(server(port), hops=[hop]) for port in (3000, 4000)]
    assert both[0].shares_processes(both[1])


@pytest.mark.parametrize(("text", "words"), [(SERVER, "not in a suite's file"), ("", "expected at least one")])
def test_a_suites_file_has_hops_and_no_servers(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(SUITE.format(server=text))
    with pytest.raises(UsageError, match=words):
        read_suite(str(path))
