"""What the page says of the grid, out of forged figures. Nothing is simulated."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from samples.truth import line

from tools.truth.form import Form
from tools.truth.lines import Figures, Line, Sorted
from tools.truth.sections.coverage import section, tails_part
from tools.truth.sections.coverage.judge import probability_of_so_few, too_low
from tools.truth.sections.coverage.noise import Shape
from tools.truth.sections.coverage.section import Coverage, scenarios_of, shapes

TAILS = {
    f"{name}/{key}": value
    for name in tails_part.STALLS
    for key, value in {"experiments": 600.0, "holds": 580.0, "factor": 1.4}.items()
}


def figures(shape: Shape, holds: float) -> Figures:
    cell = {"experiments": 2000.0, "holds": holds, "above": 20.0, "below": 30.0, "width": 0.05}
    return {f"{name}/{key}": value for name in scenarios_of(shape) for key, value in cell.items()}


def done(holds: float, changed: Figures | None = None, form: Form = Form.FULL) -> Sorted:
    """All shapes; `changed` are figures of the first one."""
    lines: list[Line] = []
    for shape in shapes(form):
        own = figures(shape, holds) | ({} if lines else changed or {})
        lines.append(msgspec.structs.replace(line(shape.name), section=section.SECTION, figures=own))
    for shape in tails_part.shapes(form):
        lines.append(msgspec.structs.replace(line(tails_part.name_of(shape)), section=section.SECTION, figures=TAILS))
    return Sorted(lines, {})


def test_the_grid_has_ninety_shapes_and_a_short_form_within_it() -> None:
    assert len(shapes(Form.FULL)) == 90
    assert set(shapes(Form.SHORT)) < set(shapes(Form.FULL))
    assert {len(scenarios_of(shape)) for shape in shapes(Form.FULL)} == {10, 11}


def test_it_holds_if_no_cell_is_significantly_low_and_the_mean_is_high_enough(tmp_path: Path) -> None:
    coverage = Coverage(tmp_path)
    assert coverage.page(done(1920.0))[1]
    assert not coverage.page(done(1890.0))[1]  # each 94.5 %: none is low, but the mean is
    text, holds = coverage.page(done(1920.0, {"3 %/holds": 1820.0}))
    assert not holds
    assert "Significantly below the bar: 1 x 1 arms, 2 x 2, 3 %: 91.0%." in "\n".join(text)


def test_a_cell_or_two_a_little_low_are_chance(tmp_path: Path) -> None:
    """93.5 % of 2000 in one of 800 cells: such a cell is expected, of all that are at 94 %."""
    assert Coverage(tmp_path).page(done(1920.0, {"3 %/holds": 1870.0}))[1]


def test_workers_luck_is_shown_and_not_judged(tmp_path: Path) -> None:
    text, holds = Coverage(tmp_path).page(done(1920.0, {f"{section.LUCK}/holds": 1000.0}))
    assert holds
    assert "50.0 (±5.0 %)" in "\n".join(text)


def test_few_contrasts_of_ten_per_cent_have_a_bar_of_their_own(tmp_path: Path) -> None:
    assert Coverage(tmp_path).page(done(1920.0, {f"{section.WILD}/holds": 1840.0}))[1]
    assert not Coverage(tmp_path).page(done(1920.0, {f"{section.WILD}/holds": 1760.0}))[1]


def test_p99_has_a_bar_of_its_own(tmp_path: Path) -> None:
    whole = done(1920.0)
    low = [
        msgspec.structs.replace(kept, figures={**TAILS, "1 % of the time/holds": 520.0})
        if kept.case == "p99, 1 x 4 arms, 6 x 2"
        else kept
        for kept in whole.used
    ]
    text, holds = Coverage(tmp_path).page(Sorted(low, {}))
    assert not holds
    assert "86.7 (x 1.4)" in "\n".join(text)
    assert not Coverage(tmp_path).page(Sorted([kept for kept in whole.used if "p99" not in kept.case], {}))[1]


def test_it_is_unfinished_while_a_shape_is_missing(tmp_path: Path) -> None:
    whole = done(1920.0)
    part = Sorted(whole.used[1:], {})
    text, holds = Coverage(tmp_path).page(part)
    assert not holds and "unfinished: 5 of 6 runs" in "\n".join(text)
    assert not Coverage(tmp_path).page(Sorted([], {}))[1]
    assert Coverage(tmp_path, Form.SHORT).page(done(1920.0, form=Form.SHORT))[1]


def test_holm_is_stricter_than_the_bare_level_and_stops_at_the_first_that_passes() -> None:
    assert too_low([0.04] * 3) == []
    assert too_low([0.01, 0.06, 0.02]) == [0, 2]
    assert too_low([]) == []


def test_the_binomial_by_hand() -> None:
    assert probability_of_so_few(0, 2, 0.5) == pytest.approx(0.25)
    assert probability_of_so_few(1, 2, 0.5) == pytest.approx(0.75)
