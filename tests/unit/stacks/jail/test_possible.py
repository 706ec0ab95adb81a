"""Whether a user namespace knows one user alone: in a jail made there all users are that one."""

from __future__ import annotations

from hopcost.stacks.jail.possible import has_one_user


def test_users_of_a_namespace() -> None:
    assert has_one_user("      1000       1000          1\n")
    assert not has_one_user("0 1000 1\n1 100000 65536\n")
