"""A running server beside itself: what is counted, and how many directions are too many. Nothing is run."""

from __future__ import annotations

from samples.truth import comparison, filled, report

from tools.truth.sections.versus.own_aa import OwnAa, counted, verdict

FINE = counted(
    report([comparison("throughput", "same", 0.99, 1.01), comparison("cpu_per_request", "not settled", 0.9, 1.1)])
) | {"seconds": 60.0, "blocks": 4.0}
WRONG = counted(report([comparison("throughput", "slower", 0.9, 0.95)])) | {"seconds": 60.0, "blocks": 4.0}


def test_directions_and_ranges_are_counted_by_figure() -> None:
    assert (FINE["throughput_range"], FINE["throughput_direction"]) == (1, 0)
    assert (WRONG["throughput_range"], WRONG["throughput_direction"]) == (1, 1)
    assert (WRONG["cpu_per_request_range"], WRONG["cpu_per_request_width"]) == (0, -1)


def test_four_of_forty_may_have_a_direction_and_not_five() -> None:
    assert verdict("throughput", 40, [*[WRONG] * 4, *[FINE] * 36]) == "yes"
    assert verdict("throughput", 40, [*[WRONG] * 5, FINE]) == "no"
    assert verdict("throughput", 40, [FINE] * 39).startswith("unfinished")
    assert verdict("cpu_per_request", 40, [WRONG] * 40) == "no: 40 runs had no range"


def test_the_page_has_a_row_for_each_figure() -> None:
    section = OwnAa()
    lines, holds = section.page(filled(section, lambda *_: FINE))
    assert holds
    assert [line.split("|")[1].strip() for line in lines if "40 of 40" in line] == ["throughput", "CPU per request"]
