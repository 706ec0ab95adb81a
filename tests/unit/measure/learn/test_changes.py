"""What changes from one answer to the next: masks of bodies, names of header fields."""

from __future__ import annotations

import gzip
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.measure.learn.changes import TOKEN, changing_fields, find_changes, mask, what_is_alike
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.suites.experiments.expect import Compared, Expect, blank

PAGE = '<form action="/login"><input name="csrf" value="{token}"><p>rendered at {clock}</p></form>' + " " * 60


def answer(body: bytes, head: str = "", encoding: str | None = None) -> HttpAnswer:
    return HttpAnswer(
        status=200, head=f"HTTP/1.1 200 OK\r\n{head}\r\n", header_bytes=0, body=body, content_encoding=encoding
    )


def page(token: str = "aB3_x9", clock: str = "12:00:01") -> bytes:
    return PAGE.format(token=token, clock=clock).encode()


def masked_words(bodies: list[bytes]) -> list[str]:
    return [bodies[0][from_:to].decode() for from_, to in mask(bodies)]


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        ([page(), page()], []),
        ([page(), page(token="aB7_x9")], ["aB3_x9"]),
        ([page(), page(token="Zq-1/=")], ["aB3_x9"]),
        ([page(), page(clock="12:00:02")], ["12:00:01"]),
        ([page(), page(token="aB3_x8", clock="12:01:01")], ["aB3_x9", "12:00:01"]),
        ([page(), page(), page(token="aB3_x8")], ["aB3_x9"]),
    ],
    ids=["nothing", "a byte of a token", "all of a token", "a second", "both", "the third answer alone"],
)
def test_a_mask_is_as_wide_as_the_word_that_changes(bodies: list[bytes], words: list[str]) -> None:
    assert masked_words(bodies) == words


def test_a_third_answer_widens_the_mask() -> None:
    assert mask([b"<a b>", b"<a c>"]) == [(3, 4)]
    assert mask([b"<a b>", b"<a c>", b"<d b>"]) == [(1, 2), (3, 4)]
    assert mask([b"<a b>", b"<a c>", b"<a-b>"]) == [(1, 4)], "the third joins two words"


def test_a_word_at_either_end_is_masked_whole() -> None:
    assert mask([b"a1 . b2", b"a2 . b3"]) == [(0, 2), (5, 7)]


TEXT = st.binary(min_size=1, max_size=60)


@given(TEXT, st.lists(st.tuples(st.integers(0, 59), st.integers(1, 255)), max_size=8))
def test_bodies_are_alike_outside_of_their_mask_which_is_as_narrow_as_words_allow(
    body: bytes, flips: list[tuple[int, int]]
) -> None:
    other = bytearray(body)
    for place, flip in flips:
        other[place % len(body)] ^= flip
    masked = mask([body, bytes(other)])
    assert blank(body, masked) == blank(bytes(other), masked)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(masked)), "apart, in order"
    for from_, to in masked:
        assert body[from_:to] != other[from_:to]
        if (from_, to) != (0, len(body)):
            edges = [place for place in (from_ - 1, to) if 0 <= place < len(body)]
            assert not any(body[place] in TOKEN for place in edges), "a word is not cut"


@pytest.mark.parametrize(
    ("bodies", "expect"),
    [
        ([b"same", b"same"], Expect(Compared.BODY)),
        ([b"", b""], Expect(Compared.BODY)),
        ([b"one", b"three"], Expect(Compared.STATUS)),
        ([b"one", b"one", b"three"], Expect(Compared.STATUS)),
        ([b"\x00\x01\x02\x03", b"\x04\x05\x06\x03"], Expect(Compared.LENGTH)),
        ([b"0123456789abcdef ok", b"0123456789abcdeg ok"], Expect(Compared.LENGTH)),
        ([b"id 7 of all the others", b"id 8 of all the others"], Expect(Compared.MASKED, masked=[(3, 4)])),
    ],
)
def test_as_much_is_compared_as_stays(bodies: list[bytes], expect: Expect) -> None:
    assert what_is_alike(bodies) == expect


def test_header_fields_that_change_are_named_as_they_are_sent() -> None:
    heads = [
        "HTTP/1.1 200 OK\r\nServer: x\r\ndate: one\r\nSet-Cookie: a=1\r\nSet-Cookie: b=1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: x\r\ndate: two\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Request-Id: 7\r\n\r\n",
    ]
    assert changing_fields(heads) == ["date", "Set-Cookie", "X-Request-Id"]
    assert changing_fields(heads[:1] * 2) == []


def test_what_changes_is_named_and_the_status_is_expected_of_all() -> None:
    found = find_changes([answer(page(), "Date: one\r\n"), answer(page("xyz_x9"), "Date: two\r\n")])
    assert (found.expect.status, found.expect.compared) == (200, Compared.MASKED)
    assert (found.fields, found.body) == (["Date"], ["6 bytes of the body at 48"])


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        ([b"one", b"three"], ["the length of the body (3 to 5 bytes)"]),
        ([b"abc", b"xyz"], ["most of the body's 3 bytes"]),
        (
            [b"a , b , c , d ,         ", b"e , f , g , h ,         "],
            ["4 bytes of the body in 4 places, the first at 0"],
        ),
        ([b"same", b"same"], []),
    ],
)
def test_what_changes_in_a_body_is_said_in_few_words(bodies: list[bytes], words: list[str]) -> None:
    assert find_changes([answer(body) for body in bodies]).body == words


def test_a_compressed_body_is_masked_as_it_is_read() -> None:
    bodies = [page(), page("xyz_x9")]
    packed = [answer(gzip.compress(body), encoding="gzip") for body in bodies]
    assert find_changes(packed).expect.masked == mask(bodies)
