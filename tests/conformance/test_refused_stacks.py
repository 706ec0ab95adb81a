"""Stacks that cannot be are refused, with what is wrong and where."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from processes.freezers import freezers
from processes.needed import need_program

from hopcost.errors import ArmFailed, UsageError
from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm, Hop, Link, SettingValue

pytestmark = pytest.mark.usefixtures("nothing_left")


CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])


def hop(name: str, link: Link, settings: Mapping[str, SettingValue] | None = None, copies: int = 1) -> Hop:
    return Hop(program=name, link=link, settings=dict(settings or {}), copies=copies)


@pytest.fixture(scope="module", autouse=True)
def all_open_files() -> None:
    raise_open_files()


def start(name: str, arm: Arm) -> RunningStack:
    """The arm, alive; the test is skipped where one of its programs, or what its settings need, is not there."""
    for needed in arm.hops:
        need_program(needed.program, needed.settings)
    return RunningStack(name, arm, {}, CORES, Local(freezers()[0]), label="test")


def test_a_setting_that_a_program_does_not_know_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="go-hello has no setting 'gomaxproc'") as caught:
        start("typo", Arm(hops=[hop("go-hello", Link.HTTP_TCP, {"gomaxproc": 1})]))
    assert caught.value.hint == "did you mean 'gomaxprocs'?"


@pytest.mark.parametrize(
    ("hops", "message"),
    [
        ([hop("nginx", Link.FASTCGI_TCP)], "nginx cannot be reached over fastcgi\\+tcp"),
        ([hop("go-hello", Link.HTTP_TCP), hop("origin", Link.HTTP_TCP)], "go-hello does not forward over http\\+tcp"),
        ([hop("nginx", Link.HTTP_TCP), hop("nginx", Link.HTTPS_TCP)], "nginx does not forward over https\\+tcp"),
        ([hop("nginx", Link.HTTP_TCP, copies=2)], "nginx: copies: the client reaches one"),
        (
            [hop("nginx", Link.HTTP_TCP), Hop(program="origin", link=Link.HTTP_TCP, copies=2, port=20000)],
            "origin: port: 2 copies cannot all have port 20000",
        ),
    ],
)
def test_a_stack_that_cannot_be_is_a_usage_error(hops: list[Hop], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        start("link", Arm(hops=hops))


def test_a_refused_configuration_is_shown_with_the_line_of_the_generated_file() -> None:
    """So many seconds are a number to hopcost, but not to nginx."""
    with pytest.raises(ArmFailed) as caught:
        start("refused", Arm(hops=[hop("nginx", Link.HTTP_TCP, {"keepalive_timeout_s": 10**30})]))
    assert "[emerg]" in caught.value.message
    assert f"keepalive_timeout {10**30};" in caught.value.message
    assert "nginx.conf, as it was generated:" in caught.value.message
