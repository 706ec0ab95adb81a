"""What is asked of an nginx.conf, what was learned of it, and what each phase measures. Plain data, kept in the record.

The phases write it again as they go: what a later phase measures, an earlier one has chosen.
"""

from __future__ import annotations

import msgspec

from hopcost.statistics.questions.conf.design import ScreenedArm

AS_IS, WHOLE, MENDS, BARE = "as-is", "whole-diff", "mends", "bare"  # arms
GIANTS, REST, CONFIRMED = "giants", "rest", "confirmed"  # experiments


class Candidate(msgspec.Struct, frozen=True):
    """A change to the configuration that this load can show.

    `words` say what the change does, `places` where it does so (FILE:LINE), `buys` what the directive is for.
    `is_offered`: it takes nothing away that somebody may want, so that it may stand in the diff. `is_giant`: it may be
    worth more than all others together.
    """

    name: str
    words: str
    places: list[str]
    buys: str
    is_offered: bool = False
    is_giant: bool = False


class Unseen(msgspec.Struct, frozen=True):
    """A directive that was not measured, and why; it says which load would show it, if one would."""

    words: str
    places: list[str]
    why: str


class FoundTrap(msgspec.Struct, frozen=True):
    """Something in the configuration that bites; `is_mended`: the diff mends it, whatever that costs or saves.

    `change` is the candidate that would mend it: one that only costs CPU time is mended where that saves some.
    """

    name: str
    words: str
    place: str
    is_mended: bool = False
    change: str | None = None


class Screening(msgspec.Struct, frozen=True):
    """A phase of one start: its experiment, the changes of each arm, and those that all its arms have."""

    experiment: str
    arms: list[ScreenedArm]
    fixed: list[str] = []

    @property
    def changes(self) -> list[str]:
        """The changes that its arms tell apart."""
        return list(dict.fromkeys(change for arm in self.arms for change in arm.changes))


class Diff(msgspec.Struct, frozen=True):
    """A unified diff of the user's own text, which nginx has read and started with; all of them mend the traps."""

    changes: list[str]
    text: str


class Seen(msgspec.Struct, frozen=True):
    """What the file as it is answered before anything was measured."""

    status: int
    body_bytes: int
    content_type: str | None
    encoding: str | None = None
    changing: list[str] = []


class ConfQuestion(msgspec.Struct, frozen=True):
    """The file as it was named, its site, the request, and what was found in it.

    `command` is the user's app, empty if hopcost's own origin answered in its place. `limits` are the directives that
    were switched off in all arms, `notes` what the jail changed. `screenings` come in the order in which they ran.
    `confirmed` are the changes that were measured alone in fresh starts, `whole` those that the whole diff has;
    `refused` says why others were not: the user's app answers otherwise with them.
    `patch_folder` is where `patch -p0` takes the diffs; None: where the run was. `streams` are requests at a time on
    each connection over HTTP/2; None over HTTP/1.1. `method` is what the request does.
    """

    file: str
    nginx: str
    site: str
    command: list[str]
    target: str
    connections: int
    requests_per_connection: int | None
    seen: Seen
    candidates: list[Candidate]
    unseen: list[Unseen] = []
    traps: list[FoundTrap] = []
    limits: list[str] = []
    notes: list[str] = []
    screenings: list[Screening] = []
    confirmed: list[str] = []
    refused: dict[str, str] = {}
    whole: list[str] = []
    diffs: list[Diff] = []
    patch_folder: str | None = None
    streams: int | None = None
    method: str = "GET"

    def candidate(self, name: str) -> Candidate:
        """The candidate of this name."""
        return next(candidate for candidate in self.candidates if candidate.name == name)

    @property
    def mends(self) -> list[str]:
        """The traps that the diff mends."""
        return [trap.name for trap in self.traps if trap.is_mended]

    @property
    def has_whole(self) -> bool:
        """Whether the whole diff is an arm of its own: it is more than one change measured alone."""
        return len(self.whole) + bool(self.mends) > 1
