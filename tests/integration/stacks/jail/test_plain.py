"""Configurations where no jail can be made: rewritten copies that answer as the files would, and leave nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jails import arm_of, ask, running, site_of
from processes.running import wait_until
from texts.nginx_texts import own_configurations

from hopcost.stacks.jail import outcome
from hopcost.stacks.jail.look import look_at
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.network import Network

LOGIN = ("Authorization", "Basic aG9wY29zdDpob3Bjb3N0")
WHY = "it is forbidden here"


@pytest.fixture(autouse=True)
def no_jail(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine allows no jail, as far as outcomes know; what they know is forgotten after it."""
    monkeypatch.setattr(outcome, "jail_refused", lambda: WHY)
    monkeypatch.setattr(network, "find_network", lambda: Network(own=False, why=WHY))
    outcome.forget()
    yield
    outcome.forget()


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("file", own_configurations(), ids=lambda file: file.parent.name)
def test_each_of_our_own_configurations_answers_without_a_jail(file: Path) -> None:
    before = file.read_bytes()
    configuration, site = site_of(file)
    with running(arm_of(configuration, site)) as stack:
        address = stack.prepared.address
        assert address.port not in (80, 443) and address.host == "127.0.0.1"
        answer = ask(stack, "/", LOGIN)
        assert answer.status == 200, stack.last_lines("mine")
        assert len(answer.decoded) > 500
        hop = stack.prepared.hops[0]
        assert hop.jail is not None
        assert any(WHY in note for note in hop.jail.notes)
        root = Path(str(hop.jail.root))
        assert root.is_dir() and (root / "etc/nginx").is_dir()
    assert not root.exists()
    assert file.read_bytes() == before


@pytest.mark.usefixtures("nothing_left")
def test_two_copies_run_side_by_side_and_their_logs_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "nginx.conf"
    file.write_text(
        "user nobody_here;\nevents {}\nhttp {\n  access_log /srv/logs/site.log;\n"
        "  server {\n    listen 80;\n    listen [::]:80 ipv6only=on;\n    location / { proxy_pass http://app:3000; }\n"
        "  }\n}\n"
    )
    arm = arm_of(*site_of(file))
    with running(arm, "one") as one, running(arm, "other") as other:
        assert one.prepared.address.port != other.prepared.address.port
        before = look_at(one)
        assert (ask(one).status, ask(other).status) == (200, 200)
        # nginx writes the line of a request after its answer
        assert wait_until(lambda: look_at(one).since(before).log_bytes["/srv/logs/site.log"] > 50)
