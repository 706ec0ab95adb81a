"""What changed between two records, as they name it."""

from __future__ import annotations

from samples.questions.histories import NEWER, NGINX, kept

from hopcost.report.questions.history.changed import changed_between, words


def named(**after: object) -> list[str]:
    return [words(difference) for difference in changed_between(kept(0), kept(1, **after))]  # type: ignore[arg-type]


def test_a_newer_program_and_kernel_are_named() -> None:
    assert named(programs=NEWER, kernel="6.8.0") == ["nginx 1.22.1 → 1.24.0", "kernel 6.1.0 → 6.8.0"]


def test_a_commit_is_named_and_a_branch_is_not() -> None:
    before = kept(0, labels={"commit": "aaa", "branch": "main"})
    after = kept(1, labels={"commit": "bbb", "branch": "other"})
    assert [words(difference) for difference in changed_between(before, after)] == ["commit aaa → bbb"]


def test_a_program_that_one_record_alone_names_is_no_change() -> None:
    assert named(programs=NGINX | {"haproxy": "2.6"}) == []


def test_records_that_are_alike_have_no_difference() -> None:
    assert named() == []
