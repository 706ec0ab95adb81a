"""Requests with a body: what a suite may ask for, and that every byte arrives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import hopcost
from processes.freezers import freezers
from texts import suite_files

from hopcost.cli.shared import description
from hopcost.errors import UsageError
from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.suites import read
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload

CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])


@pytest.mark.parametrize(
    ("workload", "words"),
    [
        ('{ method = "POST" }', "workload.method: a POST of nothing"),
        ("{ body_bytes = 10 }", "workload.body_bytes: a GET carries no body"),
        ('{ method = "POST", body_bytes = 0 }', "body_bytes"),
        ('{ method = "POST", body_bytes = 100000000 }', "body_bytes"),
        ('{ method = "PATCH" }', "workload.method: a PATCH of nothing"),
        ('{ method = "DELETE", body_bytes = 10 }', "workload.body_bytes: a DELETE carries no body"),
        ('{ method = "TRACE" }', "method"),
    ],
)
def test_what_does_not_belong_together_is_told(tmp_path: Path, workload: str, words: str) -> None:
    path = suite_files.write(tmp_path, suite_files.TWO_ARMS.replace("{ connections = 4 }", workload))
    with pytest.raises(UsageError, match=words):
        read.read_suite(str(path))


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("buffering", [True, False])
@pytest.mark.parametrize("size", [1, 1024, 3_000_000])
def test_every_byte_arrives_behind_nginx(buffering: bool, size: int) -> None:
    front = Hop(program="nginx", link=Link.HTTP_TCP, settings={"request_buffering": buffering, "body_mib_most": 8})
    arm = Arm(hops=[front, Hop(program="origin", link=Link.HTTP_TCP)])
    workload = Workload(method=Method.PUT, target="/echo-length", body_bytes=size)
    with RunningStack("behind", arm, {}, CORES, Local(freezers()[0]), label="upload") as stack:
        answer = check.ask_as_loaded("behind", stack.prepared.address, workload)
    assert (answer.status, answer.body.strip()) == (200, str(size).encode())


@pytest.mark.usefixtures("nothing_left")
def test_nginx_refuses_what_is_larger_than_its_setting() -> None:
    arm = Arm(hops=[Hop(program="nginx", link=Link.HTTP_TCP), Hop(program="origin", link=Link.HTTP_TCP)])
    workload = Workload(method=Method.POST, target="/echo-length", body_bytes=(1 << 20) + 1)
    with RunningStack("behind", arm, {}, CORES, Local(freezers()[0]), label="upload") as stack:
        assert check.ask_as_loaded("behind", stack.prepared.address, workload).status == 413
        shown = description.describe_stack(stack.prepared, stack.session.directory, workload, is_running=True)
    assert f"head -c {(1 << 20) + 1} /dev/zero | curl -i -X POST --data-binary @- " in shown


@pytest.mark.parametrize("request_keys", ['method = "POST", body_bytes = 10', 'method = "HEAD"'])
def test_other_generators_send_get_alone(tmp_path: Path, request_keys: str) -> None:
    workload = f'{{ connections = 4, target = "/echo-length", {request_keys} }}'
    path = suite_files.write(tmp_path, suite_files.TWO_ARMS.replace("{ connections = 4 }", workload))
    refused = hopcost("run", path, "--generator", "wrk", folder=tmp_path)
    assert refused.returncode == 2 and "links: other generators send GET alone here, not " in refused.stderr


def test_every_method_of_a_mix_is_sent_and_checked(tmp_path: Path) -> None:
    requests = [
        '{ target = "/json" }',
        '{ method = "HEAD", target = "/json" }',
        '{ method = "DELETE", target = "/hello" }',
        '{ method = "OPTIONS", target = "/hello" }',
        '{ method = "PATCH", target = "/echo-length", body_bytes = 2000 }',
    ]
    workload = f"{{ connections = 4, mix = [{', '.join(requests)}] }}"
    path = suite_files.write(tmp_path, suite_files.TWO_ARMS.replace("{ connections = 4 }", workload))
    shown = hopcost("show", f"{path}/links/tcp", folder=tmp_path)
    assert "curl -i --head http://" in shown.stdout and " -m DELETE http://" in shown.stdout, shown.stderr
    done = hopcost("run", "--anyway", path, "--quick", "--time", "8", "--record", tmp_path / "record", folder=tmp_path)
    assert done.returncode in (0, 4), done.stderr
    blocks = [json.loads(line) for line in (tmp_path / "record" / "blocks.jsonl").read_text().splitlines()]
    for arm in blocks[0]["arms"]:
        accounts = {account["request"]: account for account in arm["totals"]["requests"]}
        assert list(accounts) == ["GET /json", "HEAD /json", "DELETE /hello", "OPTIONS /hello", "PATCH /echo-length"]
        assert all(account["answers"] > 0 and not account["errors"] for account in accounts.values()), accounts


def test_a_run_uploads_and_every_answer_is_right(tmp_path: Path) -> None:
    workload = '{ connections = 4, method = "POST", target = "/echo-length", body_bytes = 70000 }'
    path = suite_files.write(tmp_path, suite_files.TWO_ARMS.replace("{ connections = 4 }", workload))
    done = hopcost("run", "--anyway", path, "--quick", "--time", "8", "--record", tmp_path / "record", folder=tmp_path)
    assert done.returncode in (0, 4), done.stderr  # 4 where the machine was too busy for verdicts
    blocks = [json.loads(line) for line in (tmp_path / "record" / "blocks.jsonl").read_text().splitlines()]
    assert blocks
    for arm in blocks[0]["arms"]:
        assert arm["totals"]["answers"] > 0 and not any(arm["totals"]["errors"].values())
