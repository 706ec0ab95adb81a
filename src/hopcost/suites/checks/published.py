"""What an article's figures and its protocol must not say."""

from __future__ import annotations

from hopcost.errors import UsageError, nearest
from hopcost.suites.articles.published import Protocol, Published, Value, label, quantile, same


def check_protocol(protocol: Protocol, where: str) -> None:
    """One end for a repeat, and one that the tool knows."""
    if (protocol.requests is None) == (protocol.duration_s is None):
        raise UsageError(f"{where}: as_published: expected either requests or duration_s", "one of the two, not both")
    if protocol.requests is not None and protocol.peer == "wrk":
        raise UsageError(f"{where}: as_published: requests: wrk only knows a duration", "duration_s = 30")


def check_rows(
    rows: list[Published], arms: list[str], points: list[Value] | None, control: str | None, where: str
) -> None:
    """Each arm's figures once (per point of a sweep), with something in them; the control group among them.

    `points` are the values of the experiment's sweep, None without one.
    """
    seen: set[tuple[str, str]] = set()
    for row in rows:
        place = f"{where}: published: '{row.arm}'"
        if row.arm not in arms:
            raise UsageError(f"{place} is not one of its arms", nearest(row.arm, arms))
        if points is None and row.at is not None:
            raise UsageError(f"{place}: at: the experiment has no sweep", "at names a value of the sweep")
        if points is not None and not any(same(row.at, value) for value in points):
            wrong = "missing" if row.at is None else f"{label(row.at)} is not a value of the sweep"
            raise UsageError(f"{place}: at: {wrong}", nearest(label(row.at or ""), map(label, points)))
        if (row.arm, label(row.at)) in seen:
            at = f" at {label(row.at)}" if points else ""
            raise UsageError(f"{place} stands there twice{at}", "leave one of them out")
        seen.add((row.arm, label(row.at)))
        if row.throughput_per_s is None and not row.has_errors:
            raise UsageError(
                f"{place}: throughput_per_s: missing", "where the article printed an error instead: errored = true"
            )
        for name in row.latency_quantiles_ms:
            if quantile(name) is None:
                raise UsageError(f"{place}: latency_quantiles_ms: '{name}'", "p50, p99 or p99.9, in ms")
    published = sorted({row.arm for row in rows})
    if len(published) > 1 and control is None:
        raise UsageError(f"{where}: control: missing, and published ratios are taken to it", nearest("", published))
    if control is not None and control not in published:
        hint = nearest(control, published) if published else "an article's figures stand in [[experiments.published]]"
        raise UsageError(f"{where}: control: '{control}' is not published", hint)
