"""What changes from one answer to the next, and what is left to compare. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from hopcost.stacks.client.connection import HttpAnswer
from hopcost.suites.experiments.expect import Compared, Expect

TOKEN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.:")
MOST = 0.5  # of a body; if more of it changes, its length alone is compared
PLACES_NAMED = 3


class Changes(msgspec.Struct, frozen=True):
    """What is alike in all answers, the names of the header fields that change, and what changes in the body."""

    expect: Expect
    fields: list[str]
    body: list[str]


def find_changes(answers: Sequence[HttpAnswer]) -> Changes:
    """What changes over these answers to the same request, which have the same status."""
    bodies = [answer.decoded for answer in answers]
    fields = changing_fields([answer.head for answer in answers])
    expect = msgspec.structs.replace(what_is_alike(bodies), status=answers[0].status)
    return Changes(expect, fields, _body_words(expect, bodies))


def what_is_alike(bodies: Sequence[bytes]) -> Expect:
    """The strictest comparison that these bodies stand.

    >>> what_is_alike([b"id: 17.", b"id: 24."]).masked
    [(4, 7)]
    """
    if len({len(body) for body in bodies}) > 1:
        return Expect(Compared.STATUS)
    if len(set(bodies)) == 1:
        return Expect(Compared.BODY)
    masked = mask(bodies)
    if sum(to - from_ for from_, to in masked) > MOST * len(bodies[0]):
        return Expect(Compared.LENGTH)
    return Expect(Compared.MASKED, masked=masked)


def mask(bodies: Sequence[bytes]) -> list[tuple[int, int]]:
    """Where bodies of one length differ, as ranges: in order and apart from each other.

    A range is as wide as the word that it lies in: of a token, a number or a time, two samples may share a part. All
    of a body is one range if more than MOST of its bytes differ.
    """
    first = np.frombuffer(bodies[0], np.uint8)
    differs = np.zeros(len(first), bool)
    for body in bodies[1:]:
        differs |= np.frombuffer(body, np.uint8) != first
    places = np.flatnonzero(differs)
    if len(places) > MOST * len(first):
        return [(0, len(first))]
    wide = differs | np.isin(first, np.frombuffer(bytes(TOKEN), np.uint8))
    ends = np.flatnonzero(~wide)  # where no range can go on
    ranges: list[tuple[int, int]] = []
    for place in places.tolist():
        if not ranges or place >= ranges[-1][1]:
            after = int(np.searchsorted(ends, place))
            from_ = int(ends[after - 1]) + 1 if after else 0
            ranges.append((from_, int(ends[after]) if after < len(ends) else len(first)))
    return ranges


def fields_of(head: str) -> list[tuple[str, str]]:
    """The header fields of a response's head, as they were sent.

    >>> fields_of("HTTP/1.1 200 OK\\r\\nDate: today\\r\\nX: 1\\r\\n\\r\\n")
    [('Date', 'today'), ('X', '1')]
    """
    pairs = (line.partition(":") for line in head.splitlines()[1:] if ":" in line)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def changing_fields(heads: Sequence[str]) -> list[str]:
    """The names of header fields whose values are not the same in all heads, in their order there."""
    values: list[dict[str, list[str]]] = []
    names: dict[str, str] = {}
    for head in heads:
        of_head: dict[str, list[str]] = {}
        for name, value in fields_of(head):
            names.setdefault(name.lower(), name)
            of_head.setdefault(name.lower(), []).append(value)
        values.append(of_head)
    return [name for key, name in names.items() if any(other.get(key) != values[0].get(key) for other in values)]


def _body_words(expect: Expect, bodies: Sequence[bytes]) -> list[str]:
    """What changes in the body, in a few words."""
    lengths = sorted(len(body) for body in bodies)
    match expect.compared:
        case Compared.BODY:
            return []
        case Compared.LENGTH:
            return [f"most of the body's {lengths[0]} bytes"]
        case Compared.STATUS:
            return [f"the length of the body ({lengths[0]} to {lengths[-1]} bytes)"]
        case Compared.MASKED:
            named = [f"{to - from_} bytes of the body at {from_}" for from_, to in expect.masked]
            if len(named) <= PLACES_NAMED:
                return named
            total, first = sum(to - from_ for from_, to in expect.masked), expect.masked[0][0]
            return [f"{total} bytes of the body in {len(named)} places, the first at {first}"]
