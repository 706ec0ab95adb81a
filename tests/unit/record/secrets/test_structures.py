"""A record with planted secrets: none is in any of its files, and it reads as any other."""

from __future__ import annotations

from pathlib import Path

import msgspec
from samples.blocks import plain_block
from samples.records import ENVIRONMENT, made_up_suite, plan_of

from hopcost.nginx.edits import Edit
from hopcost.record import reader
from hopcost.record.contents.block import Failure
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.repeat import PeerRun, Repeat
from hopcost.record.contents.run import Ending, StopReason
from hopcost.record.kept_files import KeptCommand
from hopcost.record.secrets import MASK
from hopcost.record.secrets.structures import StructureMasker
from hopcost.record.writer import Writer
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.arms.server import RunningServer
from hopcost.suites.experiments.request import MixedRequest
from hopcost.suites.experiments.workload import Workload

SECRET = "planted-s3cret"
OTHER = "planted-0ther"
WORKLOAD = Workload(
    headers=[["Authorization", f"Bearer {SECRET}"], ["Accept", "text/html"]],
    target=f"/?key={OTHER}",
    mix=[MixedRequest(name="search", target=f"/?key={OTHER}", headers=[["Authorization", f"Bearer {SECRET}"]])],
)


def peer_run() -> PeerRun:
    return PeerRun(
        peer="wrk",
        version="4",
        command=["wrk", "-H", f"Authorization: Bearer {SECRET}", "http://127.0.0.1/"],
        answers=1,
        errors={},
        elapsed_ns=1,
        wall_ns=1,
        generator_cpu_ns=1,
        cpu_ns={},
        throughput_per_s=1.0,
        latency_ms={},
        output=f"unable to ask with {SECRET}",
    )


def planted_record(path: Path) -> Path:
    suite, plan = made_up_suite(), plan_of()
    suite.experiments[0].workload = WORKLOAD
    experiments = [msgspec.structs.replace(experiment, workload=WORKLOAD) for experiment in plan.experiments]
    plan = msgspec.structs.replace(plan, experiments=experiments)
    block = plain_block(0)
    block.failures = [Failure(arm="behind", message=f"its last lines:\n{SECRET}", hint=f"mysql://a:{OTHER}@h")]
    block.reasons = [Reason(ReasonKind.BROKE_OFF, text=f"Cookie: a={SECRET}")]
    command = ["hopcost", "run", "made-up", "-H", f"Authorization: Bearer {SECRET}"]
    with Writer(path, suite, plan, ENVIRONMENT, command) as writer:
        hop = KeptCommand("proxy", [0], ["/proxy", "--token", SECRET])
        writer.put_stack("cost", "behind", [hop], {"proxy.conf": f"password: {OTHER}\nlisten 80; # {SECRET}\n"})
        written = writer.append(block)
        assert SECRET in block.failures[0].message, "the block itself stays as it is"
        assert written.failures[0].message == f"its last lines:\n{MASK}"
        writer.end_experiment(Ending("cost", StopReason.FAILED, f"failed: token={OTHER}"))
    return path


def test_no_file_of_a_record_holds_a_secret(tmp_path: Path) -> None:
    path = planted_record(tmp_path / "r")
    texts = {file.relative_to(path): file.read_text() for file in path.rglob("*") if file.is_file()}
    assert len(texts) >= 7
    assert [name for name, text in texts.items() if SECRET in text or OTHER in text] == []


def test_a_masked_record_is_read_and_keeps_what_is_no_secret(tmp_path: Path) -> None:
    record = reader.read_record(planted_record(tmp_path / "r"))
    assert record.run.command == ["hopcost", "run", "made-up", "-H", f"Authorization: {MASK}"]
    workload = record.plan.experiments[0].workload
    assert workload.headers == [["Authorization", MASK], ["Accept", "text/html"]]
    assert workload == record.suite.experiments[0].workload
    assert workload.target == f"/?key={MASK}"
    assert workload.mix == [MixedRequest(name="search", target=f"/?key={MASK}", headers=[["Authorization", MASK]])]
    assert (tmp_path / "r/stacks/cost/behind/proxy.conf").read_text() == f"password: {MASK}\nlisten 80; # {MASK}\n"


def test_another_generators_command_and_output_are_masked() -> None:
    masker = StructureMasker()
    repeat = Repeat("cost", "behind", 0, 1, None, None, peer_run(), failure=f"--password {OTHER}")
    masked = masker.mask_repeat(repeat)
    assert SECRET.encode() not in msgspec.json.encode(masked)
    assert OTHER.encode() not in msgspec.json.encode(masked)
    assert masked.run is not None and masked.run.command[-1] == "http://127.0.0.1/"


def test_masking_changes_nothing_where_there_is_no_secret() -> None:
    masker = StructureMasker()
    assert masker.mask_suite(made_up_suite()) == made_up_suite()
    assert masker.mask_plan(plan_of()) == plan_of()
    assert masker.mask_block(plain_block(0)) == plain_block(0)


def test_the_structures_that_are_measured_stay_as_they_are() -> None:
    suite = made_up_suite()
    suite.experiments[0].workload = WORKLOAD
    StructureMasker().mask_suite(suite)
    assert suite.experiments[0].workload.headers[0][1] == f"Bearer {SECRET}"


def test_keys_in_the_url_of_a_running_server_are_masked() -> None:
    server = RunningServer(
        url=f"http://h/a?token={SECRET}",
        link="http+tcp",
        address="127.0.0.1:80",
        host="h",
        target=f"/a?token={SECRET}",
    )
    masked = StructureMasker().mask_arm(Arm(hops=[], server=server)).server
    assert masked is not None and (masked.url, masked.target) == (f"http://h/a?token={MASK}", f"/a?token={MASK}")
    assert (masked.address, masked.host) == (server.address, server.host)


def test_edits_of_a_configuration_are_masked() -> None:
    edits = [Edit("/etc/nginx/nginx.conf", 3, 3, f'proxy_set_header Authorization "Bearer {SECRET}";')]
    own = Configuration(file="/srv/nginx.conf", port=80, host="a", edits=edits)
    arm = Arm(hops=[Hop("site", Link.HTTP_TCP, configuration=own)])
    masked = StructureMasker().mask_arm(arm).hops[0].configuration
    assert masked is not None and SECRET not in masked.edits[0].text and MASK in masked.edits[0].text
    assert (masked.file, masked.edits[0].start) == ("/srv/nginx.conf", 3)
