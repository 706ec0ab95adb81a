"""`hopcost vs --http2 N`: the Nth URL over HTTP/2, beside another one over HTTP/1.1 inside TLS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import command
import pytest
from processes.freezers import freezers
from processes.needed import need_program

from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.record.reader import read_record
from hopcost.stacks.client.address import Address
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.suites.arms.arm import Arm, Hop, Link

pytestmark = pytest.mark.usefixtures("nothing_left")

CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])
SHORT = ("--anyway", "--time", 12, "-c", 4)


@pytest.fixture
def address(nothing_left: Path) -> Iterator[Address]:
    """An nginx that speaks HTTP/2 and HTTP/1.1 inside TLS, before the embedded origin."""
    need_program("nginx")
    arm = Arm(hops=[Hop(program="nginx", link=Link.HTTP2_TLS), Hop(program="origin", link=Link.HTTP_UNIX)])
    with RunningStack("server", arm, {}, CORES, Local(freezers()[0]), label="vs-http2") as stack:
        yield stack.prepared.address


def test_one_server_over_both_is_compared_with_itself(tmp_path: Path, address: Address) -> None:
    url = f"{address.url}/hello"
    words = ("vs", url, url, "--http2", 2, "--streams", 5, "--ca", address.ca_file, *SHORT)
    done = command.hopcost(*words, "--record", tmp_path / "record")
    assert done.returncode == 0, done.stdout + done.stderr
    record = read_record(tmp_path / "record")
    (planned,) = record.plan.experiments
    links = {arm.name: arm.arm.server.link for arm in planned.arms if arm.arm.server is not None}
    place = address.address
    assert links == {place: "https+tcp", f"{place}-http2": "http2+tls", f"{place}-aa": "https+tcp"}
    assert record.blocks
    for block in record.blocks:
        assert block.failures == []
        for part in block.arms:
            totals = part.totals
            assert totals is not None and totals.errors == {} and (totals.opened or 0) >= 4
            assert totals.answers > 0 and totals.sent == totals.answers + totals.in_flight
            assert totals.in_flight <= (20 if part.name.endswith("-http2") else 4)
    shown = command.hopcost("report", tmp_path / "record", "--details").stdout
    assert f"{place}-http2" in shown and "bytes of a request + its answer, without what TLS adds" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["https://127.0.0.1:1/", ":2", "--http2", "2"], "is reached without TLS"),
        ([":1", ":2", "--http2", "3"], "expected the number of a URL, from 1 to 2"),
        ([":1", ":2", "--streams", "5"], "--streams without --http2"),
    ],
)
def test_what_does_not_belong_together_is_refused(tmp_path: Path, words: list[str], says: str) -> None:
    done = command.hopcost("vs", *words, folder=tmp_path)
    assert done.returncode == 2 and says in done.stderr and "hint: " in done.stderr, done.stderr
