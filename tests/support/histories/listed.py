"""A history that is a list: records with any words, however odd, and no database."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.history.contents.digest import digest_of
from hopcost.history.contents.summary import KeptExperiment
from hopcost.history.points import KeptRecord, Point, Search, Series, Versions

BEGIN = datetime.datetime(2026, 1, 1, 4, 0, tzinfo=datetime.UTC)
MACHINE, CONFIGURATION = "ab" * 32, "cd" * 32
VERSIONS = Versions(hopcost="0.1.0", method=5, kernel="6.1.0", cpu="Abacus 2", programs={"nginx": "1.22.1"})


def kept_record(
    number: int = 0,
    *,
    path: str = "/nowhere",
    suite: str = "made-up",
    labels: Mapping[str, str] | None = None,
    versions: Versions = VERSIONS,
    host: str = "abacus",
    machine: str = MACHINE,
    question: str = "run",
    cautions: Sequence[str] = (),
) -> KeptRecord:
    """A record of day `number`. Its digest is that of its folder, if it has one."""
    is_there = Path(path).is_dir()
    return KeptRecord(
        digest=digest_of(Path(path)) if is_there else hashlib.sha256(f"{suite} {number}".encode()).hexdigest(),
        path=path,
        suite=suite,
        question=question,
        started=BEGIN + datetime.timedelta(days=number),
        kept=BEGIN + datetime.timedelta(days=number, hours=1),
        machine=machine,
        host=host,
        labels=dict(labels or {}),
        versions=versions,
        cautions=tuple(cautions),
    )


def kept_point(
    record: KeptRecord,
    ratio: float = 0.5,
    *,
    experiment: str = "cost",
    arm: str = "behind",
    baseline: str = "direct",
    figure: str = "throughput",
    error: float | None = 0.01,
    configuration: str = CONFIGURATION,
) -> Point:
    """Throughput of 10,000 requests/s of the baseline, and a range of two standard errors."""
    return Point(
        record=record,
        experiment=experiment,
        arm=arm,
        baseline=baseline,
        figure=figure,
        configuration=configuration,
        ratio=ratio,
        low=None if error is None else ratio * (1 - 2 * error),
        high=None if error is None else ratio * (1 + 2 * error),
        standard_error=error,
        starts=4,
        value=10_000 * ratio,
        baseline_value=10_000.0,
        unit="requests/s",
        blocks=(),
    )


@dataclass
class Listed:
    """What `hopcost.page.kept.Kept` has, over points and records without points; `asked` counts the questions."""

    points_kept: list[Point] = field(default_factory=list)
    others: list[KeptRecord] = field(default_factory=list)
    summaries: dict[str, tuple[KeptExperiment, ...]] = field(default_factory=dict)
    asked: int = 0

    @property
    def all_records(self) -> list[KeptRecord]:
        """Newest first."""
        by_digest = {record.digest: record for record in [*(point.record for point in self.points_kept), *self.others]}
        return sorted(by_digest.values(), key=lambda record: record.started, reverse=True)

    def records(self, search: Search, limit: int, offset: int) -> list[KeptRecord]:
        self.asked += 1
        return [record for record in self.all_records if self._fits(record, search)][offset : offset + limit]

    def count(self, search: Search) -> int:
        self.asked += 1
        return sum(self._fits(record, search) for record in self.all_records)

    def record(self, digest: str) -> KeptRecord:
        self.asked += 1
        found = [record for record in self.all_records if record.digest.startswith(digest)]
        if len(found) != 1:
            raise UsageError(f"no record's digest begins with '{digest}'", "hopcost keep RECORD keeps one")
        return found[0]

    def points(self, digest: str) -> list[Point]:
        self.asked += 1
        return [point for point in self.points_kept if point.record.digest == digest]

    def summary(self, digest: str) -> tuple[KeptExperiment, ...]:
        self.asked += 1
        return self.summaries.get(digest, ())

    def figures(self, suite: str, experiment: str, arm: str) -> list[str]:
        self.asked += 1
        return sorted({point.figure for point in self.points_kept if _name(point) == (suite, experiment, arm)})

    def series(
        self,
        suite: str,
        experiment: str,
        arm: str,
        figure: str,
        *,
        since: datetime.datetime | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> list[Series]:
        self.asked += 1
        apart: dict[tuple[str, int, str], list[Point]] = {}
        for point in sorted(self.points_kept, key=lambda point: point.record.started):
            record = point.record
            is_late = since is None or record.started >= since
            has_labels = (labels or {}).items() <= record.labels.items()
            is_asked = _name(point) == (suite, experiment, arm) and point.figure == figure
            if is_asked and is_late and has_labels:
                key = (record.machine, record.versions.method, point.configuration)
                apart.setdefault(key, []).append(point)
        return [
            Series(
                machine=key[0], method=key[1], configuration=key[2],
                suite=suite, experiment=experiment, arm=arm, figure=figure, points=tuple(points),
            )
            for key, points in sorted(apart.items(), key=lambda item: item[1][-1].record.started, reverse=True)
        ]  # fmt: skip

    def arms(self) -> list[tuple[str, str, str]]:
        self.asked += 1
        return sorted({_name(point) for point in self.points_kept})

    def _fits(self, record: KeptRecord, search: Search) -> bool:
        words = " ".join([record.suite, record.host, record.path, *record.labels.values()]).lower()
        arms = {name for point in self.points_kept if point.record is record for name in (point.arm, point.baseline)}
        return (
            all(word.lower() in words for word in (search.words or "").split())
            and search.suite in (None, record.suite)
            and (search.arm is None or search.arm in arms)
            and search.labels.items() <= record.labels.items()
            and (search.machine is None or record.machine.startswith(search.machine))
        )


def _name(point: Point) -> tuple[str, str, str]:
    return point.record.suite, point.experiment, point.arm


def stepped(count: int = 40, step: float = 0.8, labels: Mapping[str, str] | None = None) -> Listed:
    """A history of one arm that falls to `step` of its ratio in the middle, where nginx is another one."""
    newer = Versions(hopcost="0.1.0", method=5, kernel="6.1.0", cpu="Abacus 2", programs={"nginx": "1.24.0"})
    points = []
    for number in range(count):
        is_after = number >= count // 2
        sway = 1 + 0.004 * ((number * 7) % 5 - 2)
        record = kept_record(number, labels=labels, versions=newer if is_after else VERSIONS)
        points.append(kept_point(record, 0.5 * sway * (step if is_after else 1.0)))
    return Listed(points)
