"""What a verb asked of a record beyond its suite, so that the verb's own answer can be read again."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta


class Verb(StrEnum):
    """The verbs whose answer is more than the record's report; the value is the word on the command line."""

    FRONT = "front"
    CONF = "conf"
    GATE = "gate"
    CAPACITY = "capacity"


class KeptQuestion(msgspec.Struct, frozen=True):
    """The question of a verb; its structure is the verb's own, in `statistics/questions`. Secrets are masked there."""

    verb: Annotated[Verb, Meta(description="the verb that asked")]
    content: Annotated[msgspec.Raw, Meta(description="what it asked: an object of the verb's own")]


def keep(verb: Verb, question: msgspec.Struct) -> KeptQuestion:
    """The question as a record keeps it."""
    return KeptQuestion(verb=verb, content=msgspec.Raw(msgspec.json.encode(question)))
