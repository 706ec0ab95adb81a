"""How a soak's time is divided."""

from __future__ import annotations

import pytest
from samples.sweeps import planned

from hopcost.measure.protocols.soak import SEGMENTS_AT_MOST, schedule
from hopcost.plan.turns import Turns


@pytest.mark.parametrize("minutes", range(2, 130, 3))
def test_a_soak_lasts_as_long_as_it_was_asked_to(minutes: int) -> None:
    experiment = planned(turns=Turns.SOAK, soak_s=60.0 * minutes, slice_ns=1_500_000_000, settle_ns=0)
    segments, rounds, slice_ns = schedule(experiment)
    others_ns = 1_500_000_000 * (len(experiment.arms) - 1)
    assert segments <= SEGMENTS_AT_MOST
    loaded_s = segments * rounds * (slice_ns + others_ns) / 1e9
    assert loaded_s == pytest.approx(60 * minutes, rel=0.05, abs=15)
