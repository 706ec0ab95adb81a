"""Waiting for an app, on a clock of the test: where it listens after how many seconds, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hopcost.errors import ArmFailed
from hopcost.stacks.app.listening import ListensElsewhere
from hopcost.stacks.app.ready import wait_until_it_listens
from hopcost.stacks.client.address import Address
from hopcost.suites.arms.app import App

TOLD = Address(link="http+tcp", address="127.0.0.1:2001")


class FakeApp:
    """It listens at each of these addresses from its second on, and ends at `ends_s`."""

    arm, name, told = "alone", "shop", TOLD

    def __init__(self, from_s: Mapping[str, float], ends_s: float = 1e9, ready_s: float | None = None) -> None:
        self.app = App(command=["serve"], ready_s=ready_s)
        self.from_s, self.ends_s, self.now_s = from_s, ends_s, 0.0

    def listening(self) -> Sequence[str]:
        return [address for address, from_s in self.from_s.items() if self.now_s >= from_s]

    def refuse_ended(self) -> None:
        if self.now_s >= self.ends_s:
            raise ArmFailed(self.arm, "shop ended with exit code 3")

    def log(self) -> str:
        return "; its last lines:\nloading"

    def why_unreached(self, address: Address) -> str | None:
        return None if address.address in self.listening() else "refused"

    def wait(self) -> Address:
        def sleep(seconds: float) -> None:
            self.now_s += seconds

        return wait_until_it_listens(self, lambda: self.now_s, sleep)


def test_it_is_reached_where_it_was_told() -> None:
    app = FakeApp({"127.0.0.1:2001": 20.0})
    assert app.wait() == TOLD
    assert 20.0 <= app.now_s < 20.1


def test_localhost_may_mean_ipv6() -> None:
    assert FakeApp({"[::1]:2001": 1.0}).wait().address == "[::1]:2001"


def test_a_debugger_that_listens_first_is_not_taken_for_the_app() -> None:
    assert FakeApp({"127.0.0.1:9229": 0.1, "127.0.0.1:2001": 2.5}).wait() == TOLD


def test_it_listens_elsewhere() -> None:
    app = FakeApp({"0.0.0.0:3000": 1.0})
    with pytest.raises(
        ListensElsewhere, match=r"told to listen on 127.0.0.1:2001 \(PORT\) and listens on 0.0.0.0:3000"
    ):
        app.wait()
    assert 4.0 <= app.now_s < 5.0


def test_it_listens_nowhere() -> None:
    app = FakeApp({}, ready_s=5)
    with pytest.raises(ArmFailed) as caught:
        app.wait()
    assert caught.value.message == (
        "shop did not listen on 127.0.0.1:2001 within 5 s: refused; its last lines:\nloading"
    )
    assert app.now_s < 5.1


def test_it_ends() -> None:
    app = FakeApp({"127.0.0.1:2001": 2.0}, ends_s=0.5)
    with pytest.raises(ArmFailed, match="shop ended with exit code 3"):
        app.wait()
    assert app.now_s < 0.6
