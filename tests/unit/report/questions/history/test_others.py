"""What is not mixed in is told in a line, with the reason."""

from __future__ import annotations

from samples.questions.histories import calm, kept, series

from hopcost.history.points import Series
from hopcost.report.questions.history.answer import answer_of
from hopcost.report.questions.history.others import other_lines


def told(*others: Series) -> list[str]:
    return other_lines(answer_of([calm(), *others]))


def test_another_machine_has_the_option_that_shows_it() -> None:
    line, last = told(series([kept(day, machine="8" * 64, host="ci-8") for day in (0, 3)], [0.4, 0.4]))
    assert last == "--json has all of them"
    assert line == "Not mixed in: 2 records of machine 88888888 (ci-8), 2026-09-01 to 2026-09-04: --machine 88888888"


def test_another_method_and_another_configuration() -> None:
    *lines, _ = told(
        series([kept(2, method=2)], [0.4]),
        series([kept(1)], [0.4], configuration="beef"),
    )
    assert lines == [
        "Not mixed in: 1 record of method 2, 2026-09-03; method 3 reads otherwise",
        "Not mixed in: 1 record of another configuration, 2026-09-02: another load, or other settings of the stacks",
    ]


def test_many_are_counted() -> None:
    many = [series([kept(0, machine=str(number) * 64, host="x")], [0.4]) for number in range(6)]
    assert len(told(*many)) == 5 and told(*many)[-1] == "and 2 more; --json has all of them"


def test_one_series_alone_has_no_others() -> None:
    assert told() == []
