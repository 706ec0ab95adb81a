"""The first lines of docs/explain/truth.md: what holds, what does not, and by how much."""

from __future__ import annotations

from tools.truth.page.in_words import Check, checks, told

TABLE = [
    "| arrivals | rate | by | gaps | lag p99, µs | runs within | holds |",
    "| --- | ---: | --- | ---: | ---: | ---: | --- |",
    "| constant | 1,000 | uring | 0.030 (0.007–0.061) | 31.1 | 6 of 12 | yes |",
    "| constant | 1,000 | bare-loop | 0.134 (0.097–0.174) | 1.1 | 0 of 12 | (no) |",
    "| constant | 5,000 | uring | 0.165 (0.102–0.184) | 28.7 | 2 of 12 | no |",
    "| constant | 50,000 | uring | 0.674 (0.506–1.389) | 44.8 | 12 runs |  |",
]


def test_a_line_is_named_by_its_words_and_told_by_its_figures() -> None:
    assert checks(TABLE, ("gaps",)) == [
        Check("constant, 1,000, uring", "yes", "gaps 0.030 (0.007–0.061)"),
        Check("constant, 5,000, uring", "no", "gaps 0.165 (0.102–0.184)"),
    ]


def test_what_does_not_hold_is_named_with_its_figures() -> None:
    words = told("Requests leave when they are due", ("lag p99, µs",), TABLE)
    assert words == (
        "**Requests leave when they are due.** 1 of 2 checks hold. Not: constant, 5,000, uring: lag p99, µs 28.7."
    )


def test_of_many_three_are_named() -> None:
    table = ["| case | quotient | within ±3 % |", "| --- | ---: | --- |"]
    table += [f"| case {number} | 1.1{number} | no |" for number in range(5)]
    words = told("Slices agree", ("quotient",), [*table, "| x | 1.0 | undecided |"])
    assert words.startswith("**Slices agree.** None of 6 checks hold, 1 cannot be decided. Not: case 0: quotient 1.10;")
    assert words.endswith("case 2: quotient 1.12; and 2 more.")


def test_what_stands_below_a_table_counts_too() -> None:
    assert told("No alarms", (), ["Holds: run: yes; quick: no."]) == "**No alarms.** 1 of 2 checks hold. Not: quick."


def test_a_no_that_says_by_how_much_is_a_no() -> None:
    words = told("The same is called the same", (), ["Holds: 20 s: yes; 120 s: no: 2% are resolved."])
    assert words == "**The same is called the same.** 1 of 2 checks hold. Not: 120 s: 2% are resolved."


def test_what_is_not_finished_is_not_judged() -> None:
    table = ["| takes | done | holds |", "| --- | ---: | --- |", "| 2 % | 0 of 20 | unfinished: 0 of 20 runs |"]
    assert told("Beside a neighbour", (), table) == "**Beside a neighbour.** Not measured yet."
