"""JSON: integers in ns, ratios as {value, low, high}; absent is null. json_schema.py has a record's structures."""

from __future__ import annotations

import msgspec

from hopcost.record.contents.run import Record
from hopcost.report import Result
from hopcost.report.formats.json_schema import Report
from hopcost.statistics.comparisons import Comparison
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def write(result: Result) -> str:
    """The result's data, indented."""
    return msgspec.json.format(msgspec.json.encode(result.data()), indent=2).decode() + "\n"


def report(record: Record, experiments: list[ExperimentSummary]) -> Report:
    """A record's data: docs/reference/record.md describes the keys, docs/reference/report.schema.json their types."""
    keys = (
        _attributes(record.run)
        | _attributes(record.plan)
        | {
            "warnings": record.warnings,
            "environment": record.environment,
            "experiments": [_experiment(experiment) for experiment in experiments],
        }
    )
    return msgspec.convert(keys, Report, from_attributes=True)


def _experiment(experiment: ExperimentSummary) -> dict[str, object]:
    return (
        _attributes(experiment.plan)
        | _attributes(experiment)
        | {
            "twice": experiment.plan.copied_arm,
            "void_blocks": experiment.void,
            "suspect_blocks": experiment.suspect,
            "arms": [_arm(arm) for arm in experiment.arms],
        }
    )


def _arm(arm: ArmSummary) -> dict[str, object]:
    times = arm.service_time_ns
    return _attributes(arm) | {
        "service_time_ns": {quantile: None if time is None else time.ns for quantile, time in times.items()},
        "service_time_at_least": [name for name, time in times.items() if time is not None and time.at_least],
        "comparisons": [_comparison(comparison) for comparison in arm.comparisons],
    }


def _comparison(comparison: Comparison) -> dict[str, object]:
    return _attributes(comparison) | _attributes(comparison.verdict) | {"verdict": comparison.verdict.word}


def _attributes(structure: msgspec.Struct) -> dict[str, object]:
    """The fields by name; those that the schema does not know are dropped in the conversion."""
    return {name: getattr(structure, name) for name in structure.__struct_fields__}
