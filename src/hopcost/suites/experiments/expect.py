"""What every answer must be: which part of it is compared with the baseline's, before and under load."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import UsageError

Offset = Annotated[int, Meta(ge=0)]


class Compared(Enum):
    """What of an answer is compared, from all of it to the least."""

    BODY = "body"
    MASKED = "masked"
    LENGTH = "length"
    STATUS = "status"


class Expect(msgspec.Struct, forbid_unknown_fields=True):
    """What every answer must be; more than that may change from one to the next."""

    compared: Annotated[
        Compared,
        Meta(
            description="what must be alike: status and every byte of the body (`body`); the same, but for the ranges"
            " of `masked` (`masked`); status and length (`length`); the status alone (`status`)"
        ),
    ] = Compared.BODY
    status: Annotated[
        Annotated[int, Meta(ge=200, le=599)] | None,
        Meta(description="the status that every arm must answer with; absent: any, if all arms have the same"),
    ] = None
    masked: Annotated[
        list[tuple[Offset, Offset]],
        Meta(
            description="ranges of the decoded body that may differ: `[[103, 115]]` are its bytes 103 to 114, counted"
            " from 0"
        ),
    ] = []


def check_expect(expect: Expect, where: str) -> None:
    """UsageError for masks that mask nothing or are not asked for; `where` names the place in the file."""
    if (expect.compared is Compared.MASKED) is not bool(expect.masked):
        words = "missing" if not expect.masked else f'not with compared = "{expect.compared.value}"'
        raise UsageError(f"{where}: masked: {words}", 'compared = "masked" and masked = [[FROM, TO]] go together')
    for from_, to in expect.masked:
        if from_ >= to:
            raise UsageError(f"{where}: masked: [{from_}, {to}] is no range", "it ends where it begins, or before")


def blank(body: bytes, masked: Sequence[tuple[int, int]]) -> bytes:
    """The body with every masked byte overwritten, so that two bodies can be compared.

    >>> blank(b"token=abc;", [(6, 9)])
    b'token=***;'
    """
    blanked = bytearray(body)
    for from_, to in masked:
        blanked[from_:to] = b"*" * (min(to, len(body)) - min(from_, len(body)))
    return bytes(blanked)
