"""Links of an arm."""

from __future__ import annotations

import pytest

from hopcost.suites.arms.arm import Link


@pytest.mark.parametrize(
    ("link", "is_unix"),
    [(Link.HTTP_TCP, False), (Link.HTTP_UNIX, True), (Link.FASTCGI_TCP, False), (Link.FASTCGI_UNIX, True)],
)
def test_which_links_are_socket_files(link: Link, is_unix: bool) -> None:
    assert link.is_unix is is_unix
