"""How an experiment ran, in lines: what was compared of its answers, how many bytes they took."""

from __future__ import annotations

import msgspec
import pytest
from samples.comparisons import six_blocks, summary
from samples.records import plan_of

from hopcost.programs.generators.server_faults import ServerFault
from hopcost.report.notes.conditions import starts_lines, validity_lines
from hopcost.suites.arms.arm import Link
from hopcost.suites.experiments.expect import Compared, Expect


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        (Expect(), None),
        (Expect(Compared.MASKED, masked=[(10, 22), (40, 41)]), "but for 13 bytes of the body"),
        (Expect(Compared.LENGTH), "the status and the length were compared"),
        (Expect(Compared.STATUS, status=200), "the status was compared, and nothing else"),
    ],
)
def test_a_report_says_where_less_than_every_byte_was_compared(expect: Expect, said: str | None) -> None:
    replace, plan = msgspec.structs.replace, plan_of()
    (experiment,) = plan.experiments
    experiment = replace(experiment, workload=replace(experiment.workload, expect=expect))
    lines = starts_lines(summary(six_blocks(), replace(plan, experiments=[experiment])))
    assert [line for line in lines if "compared" in line and (said is None or said not in line)] == []
    assert any("compared" in line for line in lines) is (said is not None)


@pytest.mark.parametrize(
    ("link", "sent_bytes", "said"),
    [
        (Link.HTTP2_TLS, 200_000, ["direct 20 + 153, behind 40 + 153"]),
        (Link.HTTPS_TCP, 200_000, []),
        (Link.HTTP2_TLS, None, []),
    ],
)
def test_bytes_are_told_where_a_stack_was_loaded_over_http2(
    link: Link, sent_bytes: int | None, said: list[str]
) -> None:
    replace, plan, blocks = msgspec.structs.replace, plan_of(), six_blocks()
    for piece in (piece for block in blocks for part in block.arms for piece in part.slices):
        piece.sent_bytes = sent_bytes
    (experiment,) = plan.experiments
    direct, *others = experiment.arms
    direct = replace(direct, arm=replace(direct.arm, hops=[replace(direct.arm.hops[0], link=link)]))
    lines = starts_lines(summary(blocks, replace(plan, experiments=[replace(experiment, arms=[direct, *others])])))
    begins = "bytes of a request + its answer, without what TLS adds: "
    assert [line.removeprefix(begins) for line in lines if line.startswith(begins)] == said


def test_what_a_server_did_against_http2_is_told_with_its_section() -> None:
    blocks = six_blocks()
    kept = ServerFault(what="a body without a head", rfc="RFC 9113", section="8.1", times=1)
    rare = ServerFault(what="an answer given up", rfc="RFC 9113", section="6.4", times=1, detail="INTERNAL_ERROR")
    for number, whole in enumerate(blocks):
        behind = next(part for part in whole.arms if part.name == "behind")
        assert behind.totals is not None
        behind.totals.server_faults = [kept] if number else [kept, rare]
    lines = [line for line in validity_lines(summary(blocks)) if "HTTP/2" in line]
    assert lines == [
        "behind against HTTP/2: a body without a head, RFC 9113, section 8.1, 6 times",
        "behind against HTTP/2: an answer given up (INTERNAL_ERROR), RFC 9113, section 6.4, once",
    ]
