"""Runs in Otava's own environment: histories in as JSON, the first records after each change out. No import of hopcost.

Otava finds changes by E-divisive (Matteson and James 2014) and keeps those that Student's t-test confirms (Fleming et
al. 2023, "Hunter").
"""

import json
import sys

from otava.analysis import compute_change_points


def changes(series: list[float], window: int, error: float) -> list[int]:
    """First records after each change; `error` is the largest P-value."""
    found, _ = compute_change_points(series, window_len=window, max_pvalue=error, min_magnitude=0.0)
    return sorted({int(change.index) for change in found})


def main() -> None:
    """Answers what stands on standard input."""
    asked = json.load(sys.stdin)
    json.dump([changes(series, asked["window"], asked["error"]) for series in asked["histories"]], sys.stdout)


if __name__ == "__main__":
    main()
