"""Rows of the tables as structures, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import RowMapping

from hopcost.history.contents.read import Contents
from hopcost.history.points import KeptRecord, Point, Versions


def record_row(contents: Contents) -> dict[str, Any]:
    """Of the table of records."""
    record = contents.record
    return {
        "digest": record.digest,
        "run": contents.run,
        "blocks": contents.blocks,
        "path": record.path,
        "suite": record.suite,
        "question": record.question,
        "started": record.started,
        "kept": record.kept,
        "machine": record.machine,
        "host": record.host,
        "hopcost": record.versions.hopcost,
        "method": record.versions.method,
        "kernel": record.versions.kernel,
        "cpu": record.versions.cpu,
        "programs": record.versions.programs,
        "cautions": record.cautions,
        "search": _words_to_search(contents),
    }


def label_rows(digest: str, labels: Mapping[str, str]) -> list[dict[str, str]]:
    """Of the table of labels."""
    return [
        {"digest": digest, "name": name, "value": value, "search": f"{name}={value}".lower()}
        for name, value in labels.items()
    ]


def point_rows(contents: Contents) -> list[dict[str, Any]]:
    """Of the table of points."""
    return [
        {
            "digest": point.record.digest,
            "experiment": point.experiment,
            "arm": point.arm,
            "figure": point.figure,
            "suite": point.record.suite,
            "baseline": point.baseline,
            "configuration": point.configuration,
            "ratio": point.ratio,
            "low": point.low,
            "high": point.high,
            "standard_error": point.standard_error,
            "starts": point.starts,
            "value": point.value,
            "baseline_value": point.baseline_value,
            "unit": point.unit,
            "blocks": point.blocks,
        }
        for point in contents.points
    ]


def to_record(row: RowMapping, labels: Mapping[str, str]) -> KeptRecord:
    """Of a row of the table of records."""
    return KeptRecord(
        digest=row["digest"],
        path=row["path"],
        suite=row["suite"],
        question=row["question"],
        started=row["started"],
        kept=row["kept"],
        machine=row["machine"],
        host=row["host"],
        labels=dict(labels),
        versions=Versions(
            hopcost=row["hopcost"],
            method=row["method"],
            kernel=row["kernel"],
            cpu=row["cpu"],
            programs=row["programs"],
        ),
        cautions=row["cautions"],
    )


def to_point(row: RowMapping, record: KeptRecord) -> Point:
    """Of a row of the table of points."""
    return Point(
        record=record,
        experiment=row["experiment"],
        arm=row["arm"],
        baseline=row["baseline"],
        figure=row["figure"],
        configuration=row["configuration"],
        ratio=row["ratio"],
        low=row["low"],
        high=row["high"],
        standard_error=row["standard_error"],
        starts=row["starts"],
        value=row["value"],
        baseline_value=row["baseline_value"],
        unit=row["unit"],
        blocks=row["blocks"],
    )


def _words_to_search(contents: Contents) -> str:
    """What people may look for: names, where it lay, what it is of. Labels are looked for in their own table."""
    record = contents.record
    arms = [
        word for experiment in contents.summary for word in (experiment.name, *(arm.name for arm in experiment.arms))
    ]
    words = [record.suite, record.question, record.host, record.path, record.digest, *dict.fromkeys(arms)]
    return "\n".join(words).lower()
