"""Intersection-union tests of claims, on posteriors that are plain normal distributions."""

from __future__ import annotations

import math

import pytest
from samples.questions.judgements import normal
from scipy.special import ndtri

from hopcost.statistics.questions.claims.decision import Bound, ClaimOutcome, Evidence, adjust_by_holm, conclude, decide
from hopcost.suites.articles.claim import Relation

HOLDS, FAILS, OPEN, AWAY = (
    ClaimOutcome.HOLDS,
    ClaimOutcome.DOES_NOT_HOLD,
    ClaimOutcome.NOT_SETTLED,
    ClaimOutcome.NOT_TESTABLE,
)
ALLOWED = {
    Relation.MORE: (1.0, math.inf),
    Relation.LESS: (0.0, 1.0),
    Relation.AT_LEAST: (0.9, math.inf),
    Relation.AT_MOST: (0.0, 0.9),
    Relation.ABOUT: (0.9 / 1.1, 0.9 * 1.1),
}


def evidence(relation: Relation, ratio: float, spread: float, bound: Bound = Bound.NONE) -> Evidence:
    return Evidence(relation, ALLOWED[relation], normal(ratio, spread), 0.02, bound)


def at(p_value: float) -> Evidence:
    """The claim "more" with this doubt, P(ln ratio <= 0). Its spread is far beyond the margin."""
    return Evidence(Relation.MORE, ALLOWED[Relation.MORE], normal(math.exp(-float(ndtri(p_value))), 1.0), 0.02)


def outcome(relation: Relation, ratio: float, spread: float, bound: Bound = Bound.NONE) -> ClaimOutcome:
    (decision,) = decide([evidence(relation, ratio, spread, bound)])
    return decision.outcome


@pytest.mark.parametrize(
    ("relation", "ratio", "spread", "expected"),
    [
        (Relation.AT_LEAST, 0.95, 0.01, HOLDS),
        (Relation.AT_LEAST, 0.85, 0.01, FAILS),
        (Relation.AT_LEAST, 0.91, 0.01, OPEN),
        (Relation.AT_MOST, 0.85, 0.01, HOLDS),
        (Relation.AT_MOST, 0.95, 0.01, FAILS),
        (Relation.AT_MOST, 0.90, 0.01, OPEN),
        (Relation.ABOUT, 0.90, 0.02, HOLDS),
        (Relation.ABOUT, 0.70, 0.02, FAILS),
        (Relation.ABOUT, 1.20, 0.02, FAILS),
        (Relation.ABOUT, 0.90, 0.20, OPEN),
        (Relation.MORE, 1.10, 0.02, HOLDS),
        (Relation.MORE, 0.90, 0.02, FAILS),
        (Relation.MORE, 1.02, 0.10, OPEN),
        (Relation.LESS, 0.90, 0.02, HOLDS),
        (Relation.LESS, 1.10, 0.02, FAILS),
        (Relation.MORE, 1.000, 0.005, FAILS),  # the same within 2 %: neither more nor less
        (Relation.LESS, 1.000, 0.005, FAILS),
    ],
)
def test_one_comparison(relation: Relation, ratio: float, spread: float, expected: ClaimOutcome) -> None:
    assert outcome(relation, ratio, spread) is expected


def test_a_side_is_tested_at_the_whole_error() -> None:
    assert decide([at(0.0499)])[0].outcome is HOLDS
    assert decide([at(0.0501)])[0].outcome is OPEN
    assert decide([at(0.9501)])[0].outcome is FAILS
    assert decide([at(0.9499)])[0].outcome is OPEN


def test_what_holds_shares_nothing_and_what_fails_shares_by_holm() -> None:
    ten = [at(0.049)] * 10
    assert {decision.outcome for decision in decide(ten)} == {HOLDS}
    # 0.01 x 3 and 0.024 x 2 are within 5 %, 0.06 is not.
    three = decide([at(1 - 0.024), at(1 - 0.01), at(1 - 0.06)])
    assert [decision.outcome for decision in three] == [FAILS, FAILS, OPEN]
    assert [decision.p_value for decision in three] == [pytest.approx(0.048), pytest.approx(0.03), None]
    # Alone 0.03 would do; beside another one it does not.
    assert decide([at(1 - 0.03)])[0].outcome is FAILS
    assert decide([at(1 - 0.03), at(0.001)])[0].outcome is OPEN


def test_a_comparison_that_may_not_be_judged_still_counts() -> None:
    assert [decision.outcome for decision in decide([at(1 - 0.03), None])] == [OPEN, OPEN]
    assert [decision.outcome for decision in decide([at(1 - 0.02), None])] == [FAILS, OPEN]


def test_about_fails_at_either_end_for_twice_the_p_value() -> None:
    low = ALLOWED[Relation.ABOUT][0]
    doubt = 0.03

    def below(relation: Relation) -> Evidence:
        allowed = (low, math.inf) if relation is Relation.AT_LEAST else ALLOWED[relation]
        return Evidence(relation, allowed, normal(low * math.exp(float(ndtri(doubt))), 1.0), 0.02)

    assert decide([below(Relation.AT_LEAST)])[0].p_value == pytest.approx(doubt)
    assert below(Relation.ABOUT).doubt_of_failing == pytest.approx(2 * doubt)


def test_a_real_difference_within_the_margin_holds_and_is_negligible() -> None:
    (small,) = decide([evidence(Relation.MORE, 1.01, 0.003)])
    assert (small.outcome, small.is_negligible) == (HOLDS, True)
    assert small.p_value == pytest.approx(0.00046, abs=1e-5)
    assert decide([evidence(Relation.MORE, 1.10, 0.003)])[0].is_negligible is False
    assert outcome(Relation.LESS, 1.01, 0.003) is FAILS
    assert decide([evidence(Relation.AT_LEAST, 1.0, 0.003)])[0].is_negligible is False


def test_a_bound_proves_one_side_alone() -> None:
    """The generator was full for the arm: its true ratio is at least what was measured."""
    assert outcome(Relation.MORE, 1.1, 0.01, Bound.LOWER) is HOLDS
    assert outcome(Relation.LESS, 1.1, 0.01, Bound.LOWER) is FAILS
    assert outcome(Relation.MORE, 0.9, 0.01, Bound.LOWER) is OPEN
    assert outcome(Relation.LESS, 0.9, 0.01, Bound.LOWER) is OPEN
    assert outcome(Relation.ABOUT, 0.9, 0.01, Bound.LOWER) is OPEN
    assert outcome(Relation.MORE, 1.0, 0.001, Bound.LOWER) is OPEN, "it may be more: not the same"
    assert outcome(Relation.LESS, 0.9, 0.01, Bound.UPPER) is HOLDS
    assert outcome(Relation.MORE, 0.9, 0.01, Bound.UPPER) is FAILS
    assert outcome(Relation.MORE, 1.1, 0.01, Bound.UPPER) is OPEN


def test_holm_keeps_the_order_and_never_exceeds_one() -> None:
    assert adjust_by_holm([]) == []
    assert adjust_by_holm([0.02, 0.021]) == [0.04, 0.04]
    assert adjust_by_holm([0.9, 0.8]) == [1.0, 1.0]


def test_a_claim_out_of_its_comparisons() -> None:
    assert conclude([HOLDS, HOLDS]) is HOLDS
    assert conclude([HOLDS, OPEN]) is OPEN
    assert conclude([HOLDS, AWAY]) is OPEN
    assert conclude([AWAY, FAILS]) is FAILS
    assert conclude([AWAY, AWAY]) is AWAY


@pytest.mark.parametrize(
    ("relation", "ratio", "comparisons", "ways"),
    [
        (Relation.AT_LEAST, 0.95, 2, [(0.95 / 0.9, 0.1)]),  # holding shares no error
        (Relation.AT_LEAST, 0.85, 2, [(0.9 / 0.85, 0.05)]),  # failing shares it
        (Relation.AT_MOST, 0.95, 1, [(0.95 / 0.9, 0.1)]),
        (Relation.ABOUT, 0.95, 1, [(0.99 / 0.95, 0.1)]),  # the nearer end
        (Relation.ABOUT, 0.70, 1, [(0.9 / 1.1 / 0.70, 0.05)]),  # it may fail at either end
        (Relation.MORE, 1.005, 4, [(1.005, 0.1), (1.02 / 1.005, 0.025)]),  # it holds, or is the same
        (Relation.LESS, 1.30, 1, [(1.30, 0.1)]),
    ],
)
def test_the_widths_that_settle_a_claim_by_hand(
    relation: Relation, ratio: float, comparisons: int, ways: list[tuple[float, float]]
) -> None:
    expected = [(pytest.approx(math.log(factor)), pytest.approx(error)) for factor, error in ways]
    assert evidence(relation, ratio, 0.1).ways_to_settle(math.log(ratio), comparisons) == expected


def test_no_width_settles_what_is_only_a_bound() -> None:
    assert evidence(Relation.AT_LEAST, 0.95, 0.1, Bound.LOWER).ways_to_settle(math.log(0.95), 1) == []
