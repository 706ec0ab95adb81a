"""What is compared of answers that differ, and what becomes of answers that cannot be loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from samples.servers import found

from hopcost.errors import UsageError
from hopcost.measure.learn.refusals import body_hint
from hopcost.measure.protocols.versus import answers
from hopcost.measure.protocols.versus.answers import Answers, compare_first_answers
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.suites.experiments.expect import Compared
from hopcost.suites.experiments.workload import Workload

SERVERS = [found(3000, 41), found(4000, 42)]


def answer(body: bytes, status: int = 200, head: str = "") -> HttpAnswer:
    return HttpAnswer(status=status, head=head, header_bytes=100, body=body)


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answers]:
    """Compare servers that give these answers: of both servers, then of both again."""

    def compare(*given: HttpAnswer, status: int | None = None, any_body: bool = False, method: str = "GET") -> Answers:
        in_turn: Iterator[HttpAnswer] = iter(given)
        monkeypatch.setattr(answers, "_ask", lambda *_: next(in_turn))
        waited: list[float] = []
        servers = [replace(one, server=replace(one.server, method=method)) for one in SERVERS]
        compared = compare_first_answers(servers, Workload(), status=status, any_body=any_body, wait=waited.append)
        assert waited == [1.1], "what changes with the second has changed"
        return compared

    return compare


def test_the_same_answers_are_compared_byte_by_byte(ask: Callable[..., Answers]) -> None:
    same = ask(*[answer(b"hello")] * 4)
    assert (same.expect.compared, same.expect.status, same.difference) == (Compared.BODY, 200, [])


def test_other_bodies_of_one_length_are_compared_by_length_and_shown(ask: Callable[..., Answers]) -> None:
    both = ask(answer(b"a\nx\n"), answer(b"a\ny\n"), answer(b"a\nx\n"), answer(b"a\ny\n"))
    assert both.expect.compared is Compared.LENGTH
    assert both.difference == ["--- localhost:3000", "+++ localhost:4000", "@@ -1,2 +1,2 @@", " a", "-x", "+y"]


def test_a_body_that_changes_from_answer_to_answer_is_shown_too(ask: Callable[..., Answers]) -> None:
    changing = ask(answer(b"1"), answer(b"1"), answer(b"2"), answer(b"1"))
    assert changing.expect.compared is Compared.LENGTH
    assert changing.difference[:2] == ["--- localhost:3000", "+++ localhost:3000, asked again"]


def test_other_lengths_leave_the_status(ask: Callable[..., Answers]) -> None:
    assert ask(answer(b"1"), answer(b"10"), answer(b"1"), answer(b"10")).expect.compared is Compared.STATUS
    assert ask(*[answer(b"1")] * 4, any_body=True).expect.compared is Compared.STATUS


@pytest.mark.parametrize(
    ("given", "words", "hint"),
    [
        (answer(b"", 301, "HTTP/1.1 301 x\r\nLocation: /there\r\n"), "redirects to /there (status 301)", "name that"),
        (answer(b"", 401), "needs a login (status 401)", "Authorization"),
        (answer(b"", 404), "answers with status 404", "--expect-status 404"),
        (answer(b"", 500), "fails with status 500", "see its log"),
    ],
)
def test_an_answer_that_nobody_wants_is_told_with_the_next_step(
    ask: Callable[..., Answers], given: HttpAnswer, words: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        ask(answer(b"fine"), given)
    assert words in caught.value.message and ":4000" in caught.value.message
    assert caught.value.hint is not None and hint in caught.value.hint


@pytest.mark.parametrize("status", [400, 411, 413, 415, 422])
def test_a_refused_upload_names_the_file_that_may_be_sent(ask: Callable[..., Answers], status: int) -> None:
    with pytest.raises(UsageError) as caught:
        ask(answer(b"fine"), answer(b"", status), method="POST")
    assert str(caught.value.hint).startswith(str(body_hint(status, "POST"))) and "--body-file" in str(caught.value.hint)
    assert f"--expect-status {status}" in str(caught.value.hint)
    with pytest.raises(UsageError) as caught:
        ask(answer(b"fine"), answer(b"", status))
    assert "is the path right?" in str(caught.value.hint)


def test_an_expected_status_is_measured_and_another_is_refused(ask: Callable[..., Answers]) -> None:
    assert ask(*[answer(b"", 500)] * 4, status=500).expect.status == 500
    with pytest.raises(UsageError, match="expects another"):
        ask(*[answer(b"", 200)] * 4, status=500)


def test_statuses_that_change_or_differ_are_refused(ask: Callable[..., Answers]) -> None:
    with pytest.raises(UsageError, match="status 200, then with 503"):
        ask(answer(b"a"), answer(b"a"), answer(b"a", 503), answer(b"a"))
    with pytest.raises(UsageError, match="different statuses: localhost:3000 200, localhost:4000 204"):
        ask(answer(b""), answer(b"", 204), answer(b""), answer(b"", 204))
