"""`hopcost capacity` as a person runs it: two stacks of a suite, a server that runs already, words that are refused."""

from __future__ import annotations

import json
from pathlib import Path

import command
import pytest
from processes.origins import origin
from texts import suite_files

from hopcost.record.reader import read_record

pytestmark = pytest.mark.usefixtures("nothing_left")

# On a busy machine the generator is late; then nothing is known, which is an answer too.
ENDS = (0, 4)


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


@pytest.mark.parametrize(
    ("words", "says", "hint"),
    [
        ((), "needs a target", "nginx-go/one-core"),
        (("nginx-go/one-core", "--objective", "p99<5"), "expected pQ<TIME or errors<PERCENT", "p99<50ms"),
        (("nginx-go/one-core", "-O", "p99<5ms", "-O", "p99<9ms"), "two limits of p99", "name one"),
        (("worth/restart-go",), "restarts its servers under load", "without `restart`"),
        (("nginx-go",), "nginx-go has several experiments", "nginx-go/one-core"),
        (("nginx-go/one-core", "--arm", "goo"), "no arm is called 'goo'", "did you mean 'go'?"),
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
