"""TLS: what arms agreed on, over blocks, said once; and said if it differs between them."""

from __future__ import annotations

from samples.blocks import block, open_load, part, slice_of
from samples.records import plan_of, record

from hopcost.programs.generators.engine_lines import TlsHandshakes
from hopcost.record.contents.block import ArmBlock
from hopcost.report.notes.tls import tls_lines
from hopcost.statistics.summary.summary import summarise

AES_256, AES_128 = "TLS13_AES_256_GCM_SHA384", "TLS13_AES_128_GCM_SHA256"


def agreed(suite: str, handshakes: int = 64) -> TlsHandshakes:
    return TlsHandshakes(version="TLS 1.3", cipher_suite=suite, group="X25519", handshakes=handshakes)


def over_tls(arm: str, suite: str) -> ArmBlock:
    arm_part = part(slice_of(arm, 1000))
    assert arm_part.totals is not None
    arm_part.totals.tls = [agreed(suite)]
    return arm_part


def lines_of(direct: str, behind: str) -> list[str]:
    blocks = [block(n, over_tls("direct", direct), over_tls("behind", behind)) for n in range(2)]
    return tls_lines(summarise(record(*blocks, plan=plan_of()))[0].arms)


def test_arms_that_agree_are_said_once() -> None:
    assert lines_of(AES_256, AES_256) == [f"TLS of direct, behind: TLS 1.3, {AES_256}, X25519"]


def test_arms_that_differ_are_told_apart() -> None:
    (line,) = lines_of(AES_256, AES_128)
    assert line.startswith("stacks speak TLS differently, and their CPU time includes that: ")
    assert line.endswith(f"direct: TLS 1.3, {AES_256}, X25519; behind: TLS 1.3, {AES_128}, X25519")


def test_handshakes_of_all_blocks_and_loads_are_added_up() -> None:
    parts = [over_tls("direct", AES_256), over_tls("direct", AES_256)]
    parts[0].open_loop = [open_load("direct")]
    parts[0].open_loop[0].totals.tls = [agreed(AES_256, 10), agreed(AES_128, 1)]
    arms = summarise(record(*(block(n, arm_block) for n, arm_block in enumerate(parts)), plan=plan_of()))[0].arms
    assert arms[0].tls == [agreed(AES_256, 138), agreed(AES_128, 1)]


def test_without_tls_nothing_is_said() -> None:
    plain = block(0, part(slice_of("direct", 1000)))
    assert tls_lines(summarise(record(plain, plan=plan_of()))[0].arms) == []
