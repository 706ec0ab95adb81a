"""Names of figures: the same from record to record, and as people call them."""

from __future__ import annotations

import msgspec
import pytest
from samples.records import plan_of

from hopcost.errors import UsageError
from hopcost.history.contents.figures import choose, name_of, unit_of
from hopcost.statistics import figures
from hopcost.statistics.comparisons import CPU, THROUGHPUT, Metric
from hopcost.statistics.summary import open_loop
from hopcost.statistics.verdict import Better

PLANNED = plan_of().experiments[0]
AT_SATURATION = Metric(THROUGHPUT, figures.throughput, Better.HIGHER)
AT_A_LOAD = Metric(CPU, open_loop.cpu_per_request_at(0.25), Better.CHEAPER, 0.25)


def test_a_share_names_a_load_unless_somebody_named_its_rate() -> None:
    named = msgspec.structs.replace(PLANNED, open_loop_rates=[2000.0])
    assert name_of(AT_SATURATION, PLANNED, None) == "throughput"
    assert name_of(AT_A_LOAD, PLANNED, 4700.0) == "cpu_per_request@0.25"
    assert name_of(AT_A_LOAD, named, 2000.0) == "cpu_per_request@2000/s"
    assert name_of(AT_SATURATION, named, None) == "throughput"


def test_a_throughput_is_per_second_all_else_are_times() -> None:
    assert [unit_of(name) for name in ("throughput", "cpu_per_request:nginx", "response_p50@0.25")] == [
        "requests/s",
        "ns",
        "ns",
    ]


KNOWN = ["throughput", "cpu_per_request", "cpu_per_request:app", "cpu_per_request@0.25", "response_p50@2000/s"]


@pytest.mark.parametrize(
    ("word", "figure"),
    [
        ("throughput", "throughput"),
        ("cpu", "cpu_per_request"),
        ("cpu@0.25", "cpu_per_request@0.25"),
        ("p50", "response_p50@2000/s"),
        ("response_p50@2000/s", "response_p50@2000/s"),
        ("cpu_per_request:app", "cpu_per_request:app"),
    ],
)
def test_people_call_figures_shortly(word: str, figure: str) -> None:
    assert choose(word, KNOWN) == figure


@pytest.mark.parametrize("word", ["p99", "cpu@0.5", "thruput", ""])
def test_a_figure_that_is_not_there_is_told_with_what_is(word: str) -> None:
    with pytest.raises(UsageError) as refused:
        choose(word, KNOWN)
    assert refused.value.hint is not None and ("did you mean" in refused.value.hint or "known" in refused.value.hint)
