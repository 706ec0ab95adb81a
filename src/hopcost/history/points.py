"""What the database keeps of records: the record itself, its points, and points that may stand beside each other.

Structures alone. Nothing here knows of the database; whoever draws or judges a history reads these.
"""

from __future__ import annotations

import datetime
from enum import StrEnum

import msgspec


class Keeping(StrEnum):
    """What keeping a record did: it was new, or the database had it (its labels and path are brought up to date)."""

    NEW = "new"
    ALREADY = "already"


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """What may change between two records; `programs` are those that the record's stacks are made of, by name."""

    hopcost: str
    method: int
    kernel: str
    cpu: str
    programs: dict[str, str] = {}


class KeptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record in the database.

    `digest` (SHA-256, hex) is of the record's contents, and its key. `path` is where it lay when it was last kept.
    `question` is the verb that made it. `machine` is a digest of what makes two machines comparable: host, CPU, cores,
    memory; people see its first eight signs and `host`. `cautions` say in words why the figures are limited.
    """

    digest: str
    path: str
    suite: str
    question: str
    started: datetime.datetime  # UTC
    kept: datetime.datetime  # UTC
    machine: str
    host: str
    labels: dict[str, str]
    versions: Versions
    cautions: tuple[str, ...] = ()


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one arm in one record, beside its baseline.

    `figure` is a name of statistics/figures.py or statistics/comparisons.py (throughput, cpu_per_request, …), with
    `@SHARE` behind it at an offered load. `ratio`, `low` and `high` are of the arm to the baseline, 95 % within the
    record; the ends are None if one start gives no spread. `standard_error` is of the log-ratio, within the record.
    `value` and `baseline_value` are absolute, in `unit`, for the eye alone. `blocks` is the log-ratio by block.
    `configuration` is a digest of what was measured, as planned: a trend is of one configuration only.
    """

    record: KeptRecord
    experiment: str
    arm: str
    baseline: str
    figure: str
    configuration: str
    ratio: float
    low: float | None
    high: float | None
    standard_error: float | None
    starts: int
    value: float | None
    baseline_value: float | None
    unit: str
    blocks: tuple[float, ...]


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Points that may stand beside each other: one machine, method and configuration; by `started`, ascending."""

    machine: str
    method: int
    configuration: str
    suite: str
    experiment: str
    arm: str
    figure: str
    points: tuple[Point, ...]


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """Which records are looked for; what is None or empty does not narrow.

    `words` stand anywhere in suite, experiments, arms, labels, host, path or digest, each of them, in any case.
    """

    words: str | None = None
    suite: str | None = None
    arm: str | None = None
    labels: dict[str, str] = {}
    machine: str | None = None
