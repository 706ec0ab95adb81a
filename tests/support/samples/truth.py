"""Lines, cases and reports of `make truth`, made by hand."""

from __future__ import annotations

from typing import Any

import msgspec

from hopcost.report.formats.json_arm import ReportedArm, ReportedComparison
from hopcost.report.formats.json_schema import ReportedExperiment
from hopcost.statistics.intervals import Interval
from tools.truth import lines, made_with
from tools.truth.page import part

ENGINE = made_with.Build(version="1", commit="c", behaviour=1, method=3, digest="d")
HERE = made_with.Machine(cpu="x", kernel="k", cores=2)


def case(name: str, runs: int = 2, **settings: object) -> lines.Case:
    return lines.Case("part", name, lambda _: {}, runs, settings)


def line(name: str, number: int = 0, **changed: object) -> Any:
    kept = lines.Line("part", name, number, {"a": 1.0}, 0.0, 0.0, ENGINE, HERE, {}, "2026-01-01T00:00:00+00:00")
    return msgspec.structs.replace(kept, **changed)


def comparison(figure: str, verdict: str, low: float, high: float, **more: Any) -> ReportedComparison:
    ratio = Interval(value=(low + high) / 2, low=low, high=high)
    values = {"figure": figure, "load_per_s": None, "ratio": ratio, "verdict": verdict, **more}
    forged: ReportedComparison = filled_in(ReportedComparison, values)
    return forged


def filled_in(kind: Any, values: dict[str, Any]) -> Any:
    """The structure with None for what is not given: nothing here reads it."""
    return kind(**{**dict.fromkeys(kind.__struct_fields__), **values})


def report(*arms: list[ReportedComparison], **more: Any) -> ReportedExperiment:
    """One experiment: a baseline, arms with these comparisons, the baseline's second run, which looks awful."""
    awful = [comparison("throughput", "slower", 0.1, 0.2)]
    listed = [("base", []), *((f"same-{n + 1}", comparisons) for n, comparisons in enumerate(arms)), ("base-aa", awful)]
    filled_arms = [filled_in(ReportedArm, {"name": name, "comparisons": comparisons}) for name, comparisons in listed]
    values = {"name": "same", "baseline": "base", "blocks": 6, "arms": filled_arms, **more}
    forged: ReportedExperiment = filled_in(ReportedExperiment, values)
    return forged


def filled(section: part.Section, of: Any) -> lines.Sorted:
    """All runs of a section's cases with these figures."""
    return lines.Sorted(
        [
            line(case.name, n, section=section.key, figures=of(case, n))
            for case in section.cases()
            for n in range(case.runs)
        ],
        {},
    )
