"""What speaks against comparing two records."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from samples.questions.pairs import half
from samples.records import ENVIRONMENT, plan_of, record

from hopcost.errors import UsageError
from hopcost.plan.turns import Scope
from hopcost.record.contents.run import Record
from hopcost.statistics.questions.two_records import comparable, two_records


@pytest.mark.parametrize(
    ("b", "words"),
    [
        (half("b", environment=ENVIRONMENT | {"cpu": "Abacus 3"}), "other CPUs: Abacus 2 and Abacus 3"),
        (half("b", environment={}), "other CPUs: Abacus 2 and an unknown one"),
        (half("b", plan=plan_of(quick=False)), "one is a quick run, one a full run: short slices misread hops"),
        (half("b", plan=plan_of(allowed_cores=[0, 1, 2, 3])), None),
        (half("b", plan=msgspec.structs.replace(plan_of(), suite="another")), "other suites: made-up and another"),
        (half("b", plan=msgspec.structs.replace(plan_of(), peer="wrk")), "other generators: hopcost's engine and wrk"),
    ],
)
def test_what_moves_figures_by_itself_is_refused_unless_told(b: Record, words: str | None) -> None:
    a = half("a")
    if words is None:
        assert comparable.objections(a, b, comparable.common(a, b, [])) == []
        return
    with pytest.raises(UsageError) as caught:
        two_records.compare_records(a, b)
    assert words in caught.value.message and "--anyway" in (caught.value.hint or "")
    (objection,) = two_records.compare_records(a, b, anyway=True).objections
    assert words in objection


def test_slices_of_another_length_are_an_objection() -> None:
    short, long = (
        half(name, plan=plan_of(quick=False, time_s=seconds)) for name, seconds in (("a", 60.0), ("b", 1800.0))
    )
    (objection,) = comparable.objections(short, long, comparable.common(short, long, []))
    assert objection.startswith("cost: slices of 0.3 s after 0.3 s and of 0.6 s after 0.3 s")


def test_starts_and_processes_that_go_on_running_are_not_compared() -> None:
    plan = plan_of()
    running = [msgspec.structs.replace(planned, scope=Scope.PROCESSES) for planned in plan.experiments]
    a, b = half("a"), half("b", plan=msgspec.structs.replace(plan, experiments=running))
    (objection,) = comparable.objections(a, b, comparable.common(a, b, []))
    assert objection.startswith("cost: other scopes: one is of starts, the other of processes")


def test_another_method_is_refused() -> None:
    b = half("b")
    b.run.method += 1
    with pytest.raises(UsageError, match=f"other methods: {b.run.method - 1} and {b.run.method}"):
        two_records.compare_records(half("a"), b)


@pytest.mark.parametrize(
    ("a", "b", "chosen", "words"),
    [
        (half("a"), half("a"), [], "twice the same record"),
        (half("a"), half("b"), ["cots"], "no experiment 'cots' in both records"),
        (half("a"), record(path=Path("records/b")), [], "no arm in common that was measured in both"),
    ],
)
def test_what_cannot_be_compared_at_all(a: Record, b: Record, chosen: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        two_records.compare_records(a, b, chosen, anyway=True)
