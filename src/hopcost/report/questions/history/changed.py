"""What changed between two records, of what records name: versions of programs, kernel, CPU, hopcost."""

from __future__ import annotations

from hopcost.history.points import KeptRecord
from hopcost.statistics.questions.two_records.differences import Difference, diff

NOTHING = "nothing else that the records name"
LABELS = ("commit", "tag")  # that tell what was measured; others say where and why


def changed_between(before: KeptRecord, after: KeptRecord) -> list[Difference]:
    """The programs first. One that a single record names does not count: the other was not asked for it."""
    a, b = before.versions, after.versions
    both = a.programs.keys() & b.programs.keys()
    programs = [{name: side.programs[name] for name in side.programs if name in both} for side in (a, b)]
    machine = [{"kernel": side.kernel, "CPU": side.cpu, "hopcost": side.hopcost} for side in (a, b)]
    labels = [{name: record.labels[name] for name in LABELS if name in record.labels} for record in (before, after)]
    pairs = (programs, machine, labels)
    return [difference for before_of, after_of in pairs for difference in diff(before_of, after_of)]


def words(difference: Difference) -> str:
    """`nginx 1.22.1 → 1.24.0`."""
    return f"{difference.key} {difference.a} → {difference.b}"
