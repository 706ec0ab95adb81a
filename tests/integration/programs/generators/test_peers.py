"""A real generator that fails."""

from __future__ import annotations

import pytest

from hopcost.errors import MeasurementFailed
from hopcost.programs.generators.peers.wrk import WRK
from hopcost.programs.generators.process import run_peer


def test_a_generator_that_fails_is_told_in_its_own_words() -> None:
    with pytest.raises(MeasurementFailed, match=r"wrk -t 1 -c 1 -d 1s nonsense ended with 1:\n.*invalid URL"):
        run_peer(WRK, ["wrk", "-t", "1", "-c", "1", "-d", "1s", "nonsense"], [0])
