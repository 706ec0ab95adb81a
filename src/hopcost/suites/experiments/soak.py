"""A soak: a long run of one arm."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class Soak(msgspec.Struct, forbid_unknown_fields=True):
    """A long run of one arm: about nine tenths of the time on it, short slices of the baseline and its copy between."""

    length_s: Annotated[
        int,
        Meta(
            ge=10,
            description="how long the article ran it; a run takes as much of it as its time leaves, and"
            " `--soak-length` says otherwise",
        ),
    ]
