"""Disturbed starts in words: what happened, what it does to the figures, what to do."""

from __future__ import annotations

from samples.comparisons import six_blocks

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.report.disturbed import disturbed_sentences


def test_the_two_causes_of_most_starts_are_named_with_what_they_do() -> None:
    late, busy = Reason(ReasonKind.LATE, arm="behind", value=0.013), Reason(ReasonKind.OTHER_PROGRAMS, value=0.043)
    blocks = six_blocks(0.5, 0.0005, open_loop=False)
    reasons_of = [[late], [busy], [busy], [busy], [Reason(ReasonKind.SWAPPING, value=3)], [late]]
    for start, reasons in zip(blocks, reasons_of, strict=True):
        start.validity, start.reasons = Validity.SUSPECT, reasons
    assert disturbed_sentences(blocks, 6) == [
        "In all 6 server starts other programs used 4.3 % of the CPU and 1.3 % of the requests were sent"
        " late: ranges are wider and response times may look longer (--details=starts).",
        "Close other programs and run again.",
    ]
    assert disturbed_sentences(blocks[:1], 6) == [
        "In 1 of 6 server starts 1.3 % of the requests were sent late: response times may look longer"
        " (--details=starts)."
    ]
    assert disturbed_sentences(blocks[:1], 1)[1] == "Wait for a quieter hour and run again."
    assert disturbed_sentences([], 6) == []
    blocks[0].reasons = [Reason(ReasonKind.OTHER_PROGRAMS, value=0.6)]
    assert "used 60 % of the CPU: figures may be off (" in disturbed_sentences(blocks[:1], 6)[0]


def test_programs_that_can_be_seen_are_named() -> None:
    blocks = six_blocks(0.5, 0.0005, open_loop=False)[:2]
    programs = [OtherProgram(name=name, pid=pid, cpu_ns=1) for name, pid in (("cargo", 7), ("node", 9), ("sh", 11))]
    for number, block in enumerate(blocks, start=2):
        block.reasons = [Reason(ReasonKind.OTHER_PROGRAMS, value=0.3, programs=programs[:number])]
    assert disturbed_sentences(blocks, 2)[1] == "Close cargo (pid 7), node (pid 9) and 1 more and run again."


def test_nobody_is_told_to_close_the_first_process() -> None:
    blocks = six_blocks(0.5, 0.0005, open_loop=False)[:1]
    init = OtherProgram(name="init", pid=1, cpu_ns=1)
    blocks[0].reasons = [Reason(ReasonKind.OTHER_PROGRAMS, value=0.3, programs=[init])]
    assert disturbed_sentences(blocks, 1)[1] == "Close other programs and run again."
