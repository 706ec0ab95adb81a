"""Packets of loopback, recorded on Linux 6.18: which of them refuse a connect."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from hopcost.stacks.sandbox.refused import filter_of, merge_loopbacks, refused_by

SYN = (
    "4500003c113d400040062b7d7f0000017f000001974e153851d133b000000000a002ffd7fe3000000204ffd70402080a44863d7100000000"
    "0103030a"
)
REFUSAL = "450000280000400040063cce7f0000017f0000011538974e0000000051d133b1501400007fc50000"
REFUSAL_6 = (
    "6007c1d300140640000000000000000000000000000000010000000000000000000000000000000118eba52c000000002f66e21e"
    "50140000001c0000"
)
BROKEN_OFF = "450000349d35400040069f8c7f0000017f0000010bb8e0fea59f69f5b088777780140040fe2800000101080a7ef15bad3820feee"


@pytest.mark.parametrize(
    ("packet", "destination"), [(REFUSAL, ("127.0.0.1", 5432)), (REFUSAL_6, ("::1", 6379))], ids=["IPv4", "IPv6"]
)
def test_a_refusal_names_its_destination(packet: str, destination: tuple[str, int]) -> None:
    assert refused_by(bytes.fromhex(packet)) == destination


@pytest.mark.parametrize("packet", [SYN, BROKEN_OFF], ids=["a connect", "an accepted connection broken off"])
def test_other_packets_refuse_nothing(packet: str) -> None:
    assert refused_by(bytes.fromhex(packet)) is None


@pytest.mark.parametrize("packet", [REFUSAL, REFUSAL_6])
def test_a_packet_that_is_cut_off_refuses_nothing(packet: str) -> None:
    whole = bytes.fromhex(packet)
    assert [refused_by(whole[:length]) for length in range(len(whole))] == [None] * len(whole)


def test_a_packet_of_another_protocol_refuses_nothing() -> None:
    udp = bytearray.fromhex(REFUSAL)
    udp[9] = 17
    assert refused_by(bytes(udp)) is None


def test_both_families_of_localhost_are_one_destination() -> None:
    assert merge_loopbacks([("::1", 5432), ("127.0.0.1", 5432)]) == [("127.0.0.1", 5432)]
    assert merge_loopbacks([("::1", 5432), ("127.0.0.1", 80)]) == [("::1", 5432), ("127.0.0.1", 80)]


@pytest.mark.parametrize(("packet", "passes"), [(SYN, False), (REFUSAL, True), (REFUSAL_6, True), (BROKEN_OFF, True)])
def test_the_kernels_filter_lets_resets_alone_pass(packet: str, passes: bool) -> None:
    assert (run_filter(bytes.fromhex(packet)) > 0) is passes


@pytest.mark.parametrize("but_ports", [[5432], [6379], [5432, 6379], [8000, 5432, 3000], [8000, 3000, 6379]])
def test_the_kernels_filter_lets_none_from_these_ports_pass(but_ports: list[int]) -> None:
    for packet, port in ((REFUSAL, 5432), (REFUSAL_6, 6379)):
        assert (run_filter(bytes.fromhex(packet), but_ports) > 0) is (port not in but_ports)
    assert run_filter(bytes.fromhex(SYN), but_ports) == 0


def run_filter(packet: bytes, but_ports: Collection[int] = ()) -> int:
    """What the kernel's machine makes of it: how many bytes it keeps."""
    instructions = filter_of(but_ports)
    accumulator = index = at = 0
    while True:
        code, if_true, if_false, operand = instructions[at]
        at += 1
        match code:
            case 0x30:
                accumulator = packet[operand]
            case 0x50:
                accumulator = packet[index + operand]
            case 0x48:
                accumulator = int.from_bytes(packet[index + operand : index + operand + 2])
            case 0x01:
                index = operand
            case 0xB1:
                index = (packet[operand] & 0xF) * 4
            case 0x54:
                accumulator &= operand
            case 0x05:
                at += operand
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x45:
                at += if_true if accumulator & operand else if_false
            case 0x06:
                return operand
