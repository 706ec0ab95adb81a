"""Requests of a workload: what one does, and a mix of several in turns."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.experiments.expect import Expect

MAX_BODY_BYTES = 64 << 20  # of an upload: the engine is told it whole, and keeps it once
MAX_WEIGHTS = 65_536  # all weights together: the engine goes round so many requests

HeaderField = Annotated[list[str], Meta(min_length=2, max_length=2)]
Target = Annotated[str, Meta(pattern=r"^/\S*$")]
RatePerS = Annotated[float, Meta(ge=0.1, le=10_000_000)]  # as `--rate`
BodyBytes = Annotated[int, Meta(ge=1, le=MAX_BODY_BYTES)]
BodyText = Annotated[str, Meta(min_length=1)]


class Method(Enum):
    """What a request does."""

    GET = "GET"
    HEAD = "HEAD"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"
    OPTIONS = "OPTIONS"

    @property
    def uploads(self) -> bool:
        """Whether it carries a body."""
        return self in (Method.POST, Method.PUT, Method.PATCH)


class MixedRequest(msgspec.Struct, forbid_unknown_fields=True):
    """One request of a mix. What it leaves out is as in the workload."""

    name: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="what reports call it; absent: its method and path, `GET /list`"),
    ] = None
    weight: Annotated[
        int,
        Meta(
            ge=0,
            description="how often it is sent, in proportion to the others: above 0, and all together at most 65,536."
            " The order is"
            " shuffled, the same way every time, and the shares are exact on every thread of the generator",
        ),
    ] = 1
    target: Annotated[Target | None, Meta(description="path and query of the request")] = None
    method: Annotated[Method | None, Meta(description="what it does; POST, PUT and PATCH carry a body")] = None
    headers: Annotated[
        list[HeaderField], Meta(description="header fields besides those of the workload, of the check's request too")
    ] = []
    body_bytes: Annotated[BodyBytes | None, Meta(description="how much it carries, as in the workload")] = None
    body_text: Annotated[BodyText | None, Meta(description="or what it carries, as in the workload")] = None
    expect: Annotated[
        Expect | None, Meta(description='what its answer must be: `{ compared = "status", status = 404 }`')
    ] = None
