"""What is measured of a configuration, once it is learned; and how the time is shared by the phases. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from hopcost.nginx.ablations.tls import HTTP2_OFF
from hopcost.nginx.edits import Edit
from hopcost.statistics.questions.conf.question import ConfQuestion
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Hop, Link
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.experiments.workload import Workload

FULL_S, QUICK_S = 270.0, 80.0  # with what is learned before, five minutes and a minute and a half
GIANTS_SHARE, REST_SHARE = 20 / 270, 60 / 270


class ConfTime(msgspec.Struct, frozen=True):
    """Seconds of each phase; a phase without anything to measure leaves its time to the confirmation."""

    giants_s: float
    rest_s: float
    whole_s: float


def conf_time(seconds: float | None, *, quick: bool) -> ConfTime:
    """The time of each phase, of so many seconds in all.

    >>> conf_time(None, quick=False)
    ConfTime(giants_s=20.0, rest_s=60.0, whole_s=270.0)
    """
    whole_s = seconds if seconds is not None else QUICK_S if quick else FULL_S
    return ConfTime(round(whole_s * GIANTS_SHARE, 1), round(whole_s * REST_SHARE, 1), whole_s)


class ScreenedStack(msgspec.Struct, frozen=True):
    """The user's files before hopcost's own origin: what trials start and the screening measures.

    `configuration` is the site with its limits off; without an `origin` the site passes nothing on.
    """

    configuration: Configuration
    link: Link
    origin: Hop | None
    workload: Workload

    def edited(self, edits: Iterable[Edit]) -> Configuration:
        """The configuration with these edits too."""
        return msgspec.structs.replace(self.configuration, edits=joined(self.configuration.edits, edits))


class AppStack(msgspec.Struct, frozen=True):
    """The user's app behind their files, which the confirmation measures, and what is compared of its answers."""

    hop: Hop
    app: App
    workload: Workload


class ConfPlan(msgspec.Struct, frozen=True):
    """The question, and all that its arms are made of.

    `edits` are those of each candidate, `mends` those of the traps that the diff mends. The confirmation
    has `app_stack`; without an app it has the origin, as the screening.
    """

    question: ConfQuestion
    screened: ScreenedStack
    edits: dict[str, list[Edit]]
    mends: list[Edit]
    time: ConfTime
    app_stack: AppStack | None = None
    is_quick: bool = False

    def edits_of(self, changes: Iterable[str]) -> list[Edit]:
        """All edits of these changes, each once, in a fixed order."""
        return joined(*(self.edits[change] for change in changes))

    def link_of(self, edits: Iterable[Edit]) -> Link:
        """How an arm with these edits is asked: over HTTP/1.1 if they switch HTTP/2 off."""
        off = set(self.edits.get(HTTP2_OFF, ()))
        return Link.HTTPS_TCP if off and off <= set(edits) else self.screened.link

    def excludes(self, name: str, other: str) -> bool:
        """Whether two changes touch the same text, so that no arm can have both."""
        return overlap(self.edits[name], self.edits[other])


def joined(*groups: Iterable[Edit]) -> list[Edit]:
    """The edits of all groups, equal ones once.

    >>> joined([Edit("a", 1, 2, "x")], [Edit("a", 1, 2, "x"), Edit("a", 5, 5, "y")])
    [Edit(file='a', start=1, end=2, text='x'), Edit(file='a', start=5, end=5, text='y')]
    """
    return list(dict.fromkeys(edit for group in groups for edit in group))


def overlap(first: Iterable[Edit], second: Iterable[Edit]) -> bool:
    """Whether an edit of one takes or splits text that one of the other takes, or adds to what that writes anew.

    Equal edits do not, nor do two insertions.

    >>> overlap([Edit("a", 1, 4, "")], [Edit("a", 3, 9, "x")]), overlap([Edit("a", 1, 4, "")], [Edit("a", 4, 9, "x")])
    (True, False)
    """
    others = list(second)
    return any(_collide(edit, other) for edit in first for other in others)


def _collide(edit: Edit, other: Edit) -> bool:
    if edit == other or edit.file != other.file:
        return False
    if (edit.start == edit.end) is not (other.start == other.end):  # ` buffer=64k` behind arguments that become `off`
        return edit.start <= other.end and other.start <= edit.end
    return edit.start < other.end and other.start < edit.end
