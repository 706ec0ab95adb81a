"""What disturbed starts, in one line."""

from __future__ import annotations

from samples.blocks import block, plain_block
from samples.comparisons import six_blocks, void_load

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.report.live.disturbed import Told, disturbed_line, failure_lines


def busy(number: int, share: float, validity: Validity = Validity.SUSPECT) -> Block:
    reason = Reason(ReasonKind.OTHER_PROGRAMS, value=share, programs=[OtherProgram("pytest", 12, 1)])
    return block(number, validity=validity, reasons=(reason,))


def test_starts_are_counted_and_reasons_of_one_kind_are_one() -> None:
    assert disturbed_line([plain_block(0)]) is None
    blocks = [plain_block(0), busy(1, 0.04), busy(2, 0.09), busy(3, 0.25, Validity.VOID)]
    assert disturbed_line(blocks) == (
        "3 of 4 starts disturbed, 1 done again: other programs used 4 to 25 % of the CPU: pytest (pid 12)"
    )


def test_other_kinds_are_only_counted() -> None:
    blocks = [busy(0, 0.04), block(1, validity=Validity.SUSPECT, reasons=("the clock jumped", "it swapped"))]
    line = disturbed_line(blocks)
    assert line is not None and line.endswith("pytest (pid 12); and 2 more")


def test_a_load_that_does_not_count_is_a_disturbance() -> None:
    blocks = six_blocks()
    blocks[1], blocks[4] = void_load(blocks[1], 0.06), void_load(blocks[4], 0.123)
    late = "of the requests were sent late though a connection was free"
    assert disturbed_line(blocks) == f"2 of 6 starts disturbed: behind at 5,000/s: 6 to 12 % {late}"
    assert Told().about(blocks[1]) == f"disturbed: behind at 5,000/s: 6 % {late}"


def test_each_kind_is_told_once() -> None:
    told = Told()
    assert told.about(plain_block(0)) == ""
    assert told.about(busy(1, 0.04)) == "disturbed: other programs used 4 % of the CPU: pytest (pid 12)"
    assert told.about(busy(2, 0.07)) == "disturbed"
    assert told.about(busy(3, 0.25, Validity.VOID)) == "void, done again"
    both = block(4, validity=Validity.SUSPECT, reasons=(*busy(4, 0.05).reasons, "it swapped"))
    assert told.about(both) == "disturbed: it swapped"


def test_what_a_program_printed_takes_one_line_and_steers_no_terminal() -> None:
    failed = block(0, failures=(Failure(arm="behind", message="under load: \x1b[2Jgone\nat last"),))
    assert failure_lines(failed) == ["behind failed: under load: \N{REPLACEMENT CHARACTER}[2Jgone"]
    hinted = block(0, failures=(Failure(arm="behind", message="gone", hint="look\nthere"),))
    assert failure_lines(hinted) == ["behind failed: gone", "hint: look"]
    printed = block(1, validity=Validity.VOID, reasons=("the baseline failed: \x1b[2J\nlines",))
    assert Told().about(printed) == "void, done again: the baseline failed: \N{REPLACEMENT CHARACTER}[2J"
