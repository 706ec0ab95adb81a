"""Plain runs beside a decided claim: when they speak against it. Nothing is run."""

from __future__ import annotations

import pytest
from samples.questions.claims import judged

from hopcost.statistics.questions.claims.decision import ClaimOutcome
from tools.docs.claims.plain_runs import are_against


@pytest.mark.parametrize(
    ("ratios", "against"),
    [
        ({"wrk": 0.9, "h2load": 0.8, "hopcost": 0.4}, True),
        ({"wrk": 0.9, "h2load": 0.7}, False),  # h2load agrees
        ({"wrk": 0.9, "hopcost": 0.9}, False),  # h2load failed
    ],
)
def test_a_claim_that_holds_is_contradicted_by_wrk_and_h2load_together(ratios: dict[str, float], against: bool) -> None:
    claim = next(claim for claim in judged() if claim.claim.name == "costs-much")  # at most 0.75
    assert claim.outcome is ClaimOutcome.HOLDS and are_against(claim, ratios) is against


def test_a_claim_that_does_not_hold_is_contradicted_if_both_are_within_what_it_says() -> None:
    claim = next(claim for claim in judged() if claim.claim.name == "level-without-errors")
    assert claim.outcome is ClaimOutcome.DOES_NOT_HOLD
    low, high = claim.telling.test.bounds
    inside, outside = (low + min(high, 2 * low)) / 2, low / 2
    assert are_against(claim, {"wrk": inside, "h2load": inside})
    assert not are_against(claim, {"wrk": inside, "h2load": outside})
