"""Going into another network namespace and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.machine.network_namespace import OWN, inside
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.session import Net, Session


def own() -> Path:
    return Path(OWN).readlink()


@pytest.mark.skipif(not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}")
@pytest.mark.usefixtures("nothing_left")
def test_inside_and_back_again_after_an_error_too() -> None:
    home = own()
    session = Session(net=Net())
    try:
        with pytest.raises(ZeroDivisionError), inside(session.namespace):
            assert own() == Path(f"/proc/{session.leader}/ns/net").readlink() != home
            raise ZeroDivisionError
        assert own() == home
    finally:
        session.kill()


def test_a_file_that_is_no_namespace_is_not_entered(tmp_path: Path) -> None:
    home = own()
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="cannot be entered"), inside(str(tmp_path / "file")):
        pass
    assert own() == home


def test_nowhere_is_here() -> None:
    home = own()
    with inside(None):
        assert own() == home
