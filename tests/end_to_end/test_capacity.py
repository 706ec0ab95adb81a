"""`hopcost capacity` as a person runs it: two stacks of a suite, a server that runs already, words that are refused."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import command
import pytest
from processes import small_apps
from processes.freezers import freezers
from processes.needed import need_program
from processes.origins import origin
from texts import suite_files

from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.record.contents.run import Record
from hopcost.record.reader import read_record
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.suites.arms.arm import Arm, Hop, Link

pytestmark = pytest.mark.usefixtures("nothing_left")

# On a busy machine the generator is late; then nothing is known, which is an answer too.
ENDS = (0, 4)
CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])


def test_two_stacks_are_probed_in_turns_and_the_record_shows_the_answer_again(tmp_path: Path) -> None:
    suite = suite_files.write(tmp_path, suite_files.TWO_ARMS)
    folder = tmp_path / "record"
    words = ("--objective", "p99<200ms", "--time", 24, "--anyway", "--record", folder, "--seed", 7)
    done = command.hopcost("capacity", suite, *words)
    assert done.returncode in ENDS, done.stdout + done.stderr
    assert "2 stacks: about 24 s" in done.stderr and "start 1  " in done.stderr
    blocks = read_record(folder).blocks
    for block in blocks:
        for part in block.arms:
            for probe in part.probes:
                (piece,) = probe.slices
                assert piece.due == piece.sent + (piece.not_sent or 0) > 0
    assert all(len(part.probes) == len(block.probe_ends) for block in blocks for part in block.arms)
    assert [part.name for part in blocks[0].arms] == ["tcp", "unix"], "no arm runs twice"
    again = command.hopcost("report", folder)
    assert again.stdout == done.stdout
    assert "p99 below 200 ms and errors below 0.1 %" in " ".join(done.stdout.split())


def test_one_server_that_runs_already_has_a_capacity_too(tmp_path: Path) -> None:
    with origin(tmp_path) as server:
        words = ("--time", 12, "-c", 8, "--anyway", "--record", tmp_path / "record", "--json")
        done = command.hopcost("capacity", server.url(), *words)
        assert done.returncode in ENDS, done.stdout + done.stderr
        assert server.process.poll() is None
        answer = json.loads(done.stdout)
        assert answer["stacks"][0]["points"] and server.answered() > 0
    assert [objective["option"] for objective in answer["objectives"]] == ["p99<50ms", "errors<0.1%"]


def probed(folder: Path, *words: object) -> tuple[Record, dict[str, Any]]:
    """The record of a short run and its answer: every stack has points, and every probe's account is whole."""
    record = folder / "record"
    done = command.hopcost("capacity", *words, "--anyway", "--record", record, "--json", folder=folder)
    assert done.returncode in ENDS, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert all(stack["points"] for stack in answer["stacks"]), answer
    read = read_record(record)
    for part in (part for block in read.blocks for part in block.arms):
        assert part.probes, part.name
        for probe in part.probes:
            (piece,) = probe.slices
            assert piece.due == piece.sent + (piece.not_sent or 0) > 0
    return read, answer


def test_an_app_and_what_is_put_before_it_are_probed_in_turns(tmp_path: Path) -> None:
    app = small_apps.write(tmp_path, small_apps.BY_VARIABLE)
    words = ("--app", shlex.join(app.command), "--with", "nginx", "--time", 20, "-c", 4)
    read, answer = probed(tmp_path, *words)
    assert [stack["arm"] for stack in answer["stacks"]] == ["alone", "nginx"]
    hops = {part.name: part.hops for part in read.blocks[0].arms}
    assert hops == {"alone": ["app"], "nginx": ["nginx", "app"]}


def test_a_mix_has_a_capacity(tmp_path: Path) -> None:
    mix = '{ connections = 4, mix = [{ target = "/json", weight = 3 }, { method = "HEAD", target = "/hello" }] }'
    suite = suite_files.write(tmp_path, suite_files.TWO_ARMS.replace("{ connections = 4 }", mix))
    read, answer = probed(tmp_path, f"{suite}/links/tcp", "--time", 12)
    assert [stack["arm"] for stack in answer["stacks"]] == ["tcp"]
    (part,) = read.blocks[0].arms
    requests = {account.request: account.answers for account in part.probes[-1].totals.requests}
    assert list(requests) == ["GET /json", "HEAD /hello"] and min(requests.values()) > 0


def test_two_urls_are_probed_in_turns_one_of_them_over_http2(tmp_path: Path) -> None:
    need_program("nginx")
    hops = [Hop(program="nginx", link=Link.HTTP2_TLS), Hop(program="origin", link=Link.HTTP_UNIX)]
    with RunningStack("server", Arm(hops=hops), {}, CORES, Local(freezers()[0]), label="capacity") as stack:
        address = stack.prepared.address
        urls = (f"{address.url}/hello", f"{address.url}/hello")
        read, answer = probed(tmp_path, *urls, "--http2", 2, "--streams", 5, "-k", "--time", 20, "-c", 4)
    assert [stack["arm"] for stack in answer["stacks"]] == [address.address, f"{address.address}-http2"]
    (planned,) = read.plan.experiments
    links = [arm.arm.server.link for arm in planned.arms if arm.arm.server is not None]
    assert links == ["https+tcp", "http2+tls"]


@pytest.mark.parametrize(
    ("words", "says", "hint"),
    [
        ((), "needs a target", "nginx-go/one-core"),
        (("nginx-go/one-core", "--objective", "p99<5"), "expected pQ<TIME or errors<PERCENT", "p99<50ms"),
        (("nginx-go/one-core", "-O", "p99<5ms", "-O", "p99<9ms"), "two limits of p99", "name one"),
        (("worth/restart-go",), "restarts its servers under load", "without `restart`"),
        (("nginx-go",), "nginx-go has several experiments", "nginx-go/one-core"),
        (("nginx-go/one-core", "--arm", "goo"), "no stack is called 'goo'", "did you mean 'go'?"),
        (("nginx-go/one-core/go", "--time", "1s"), "too short for 1 stack", "9s at the least"),
        ((":1", "--time", "10s"), "cannot be reached", "running"),
        (("--app", ""), "--app: no command", "node server.js"),
    ],
)
def test_bad_words_are_refused_with_a_hint(words: tuple[str, ...], says: str, hint: str) -> None:
    done = command.hopcost("capacity", *words)
    assert done.returncode in (2, 3), done.stdout + done.stderr
    assert says in done.stderr and hint in done.stderr
    assert "Traceback" not in done.stderr
