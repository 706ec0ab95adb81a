"""Histories made by hand: a record a day, with chosen ratios to the baseline."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Mapping, Sequence

from hopcost.history.points import KeptRecord, Point, Series, Versions
from hopcost.statistics.comparisons import THROUGHPUT

BEGIN = datetime.datetime(2026, 9, 1, 14, 2, tzinfo=datetime.UTC)
NGINX = {"nginx": "1.22.1", "go-hello": "go1.26.8"}
NEWER = NGINX | {"nginx": "1.24.0"}
MACHINE, HOST = hashlib.sha256(b"ci-7").hexdigest(), "ci-7"
# Twelve records by hand that scatter by 1 %, and hold no change.
CALM = (0.46, 0.463, 0.458, 0.466, 0.455, 0.459, 0.461, 0.457, 0.464, 0.462, 0.456, 0.46)


def kept(
    day: int,
    *,
    programs: Mapping[str, str] = NGINX,
    kernel: str = "6.1.0",
    machine: str = MACHINE,
    host: str = HOST,
    method: int = 3,
    labels: Mapping[str, str] | None = None,
    cautions: tuple[str, ...] = (),
) -> KeptRecord:
    """The record of a day; its digest tells it from those of other machines and methods."""
    started = BEGIN + datetime.timedelta(days=day)
    return KeptRecord(
        digest=hashlib.sha256(f"{day} {machine} {method}".encode()).hexdigest(),
        path=f"/records/{started:%Y-%m-%d}",
        suite="nginx-go",
        question="run",
        started=started,
        kept=started + datetime.timedelta(hours=1),
        machine=machine,
        host=host,
        labels=dict(labels or {}),
        versions=Versions(hopcost="0.9.0", method=method, kernel=kernel, cpu="Abacus 2", programs=dict(programs)),
        cautions=cautions,
    )


def point(record: KeptRecord, ratio: float, figure: str = THROUGHPUT, configuration: str = "c0ffee") -> Point:
    return Point(
        record=record,
        experiment="one-core",
        arm="nginx",
        baseline="go",
        figure=figure,
        configuration=configuration,
        ratio=ratio,
        low=0.98 * ratio,
        high=1.02 * ratio,
        standard_error=0.01,
        starts=6,
        value=round(70_000 * ratio, 1),
        baseline_value=70_000.0,
        unit="requests/s",
        blocks=(),
    )


def series(
    records: Sequence[KeptRecord], ratios: Sequence[float], figure: str = THROUGHPUT, configuration: str = "c0ffee"
) -> Series:
    """Of as many records as ratios."""
    points = [point(record, ratio, figure, configuration) for record, ratio in zip(records, ratios, strict=True)]
    return Series(
        machine=records[0].machine,
        method=records[0].versions.method,
        configuration=configuration,
        suite="nginx-go",
        experiment="one-core",
        arm="nginx",
        figure=figure,
        points=tuple(points),
    )


def calm(figure: str = THROUGHPUT) -> Series:
    """Twelve days without a change."""
    return series([kept(day) for day in range(len(CALM))], CALM, figure)


def slower(figure: str = THROUGHPUT) -> Series:
    """Twelve calm days, then five with a newer nginx and 8 % less."""
    days = range(len(CALM) + 5)
    records = [kept(day, programs=NGINX if day < len(CALM) else NEWER) for day in days]
    return series(records, [*CALM, *(0.92 * ratio for ratio in CALM[:5])], figure)
