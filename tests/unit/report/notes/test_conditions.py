"""How an experiment ran, in lines: what was compared of its answers."""

from __future__ import annotations

import msgspec
import pytest
from samples.comparisons import six_blocks, summary
from samples.records import plan_of

from hopcost.report.notes.conditions import starts_lines
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
