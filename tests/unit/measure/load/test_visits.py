"""Visitors while an arm is restarted: what they meet, and for how long nobody is answered."""

from __future__ import annotations

from typing import Any

import pytest
from mocks.mock_rig import MockRig

from hopcost.errors import ArmFailed
from hopcost.measure.load.visits import Visit, failed_by_kind, longest_gap_ns, visit
from hopcost.suites.experiments.workload import Workload


class DownRig(MockRig):
    """Whose arm does not answer, for this reason."""

    def __init__(self, reason: Exception) -> None:
        super().__init__()
        self.reason = reason

    def ask(self, stack: Any, workload: Workload) -> Any:
        raise ArmFailed("app", "no answer") from self.reason


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (ConnectionRefusedError(), "refused"),
        (FileNotFoundError(), "refused"),
        (ConnectionResetError(), "cut off"),
        (TimeoutError(), "timeout"),
        (ValueError(), "other"),
    ],
)
def test_a_visitor_without_an_answer_knows_why(reason: Exception, kind: str) -> None:
    assert visit(DownRig(reason), _stack(), Workload(), 200).failure == kind


def test_another_status_than_before_is_no_answer(rig: MockRig) -> None:
    assert visit(rig, _stack(), Workload(), 200).failure is None
    assert visit(rig, _stack(), Workload(), 502).failure == "status"


def test_failures_are_counted_by_kind() -> None:
    visits = [Visit(0, 1), Visit(1, 2, "refused"), Visit(2, 3, "status"), Visit(3, 4, "refused")]
    assert failed_by_kind(visits) == {"refused": 2, "status": 1}


@pytest.mark.parametrize(
    ("visits", "gap_s"),
    [
        ([], 0),
        ([Visit(0, 0.25), Visit(0.25, 0.5)], 0.25),
        ([Visit(0, 1, "refused"), Visit(1, 2)], 2),  # from the first visit on
        ([Visit(0, 1), Visit(1, 2, "refused"), Visit(2, 5, "refused")], 4),  # to the last one
        ([Visit(0, 1, "refused")], 1),
    ],
)
def test_a_gap_is_the_longest_time_without_a_right_answer(visits: list[Visit], gap_s: float) -> None:
    assert longest_gap_ns(visits) == gap_s * 1e9


def _stack() -> Any:
    return type("Stack", (), {"arm": "app"})()
