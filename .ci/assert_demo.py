"""CI's look at the demo: all five arms on real programs in both experiments, with answers, intervals and hop costs."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

ARMS = ["go", "nginx-http-tcp", "nginx-http-unix", "nginx-fastcgi-tcp", "nginx-fastcgi-unix"]
EXPERIMENTS = ["one-core", "all-cores"]
HEADER_BYTES = 141
BLOCKS_AT_LEAST = 2  # four in a quiet hour; in a bad one the time holds fewer, and the report says so
HARNESS_AT_MOST = 0.01
SECONDS_AT_MOST = 180


def main() -> None:
    """Exit code 1 with every deviation named."""
    hopcost = Path(sys.executable).with_name("hopcost")
    report = json.loads(subprocess.run([hopcost, "report", "latest", "--json"], check=True, capture_output=True).stdout)
    wrong = list(deviations(report))
    for line in wrong:
        print(f"demo: {line}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    print(f"demo: {len(EXPERIMENTS)} experiments with {len(ARMS)} arms each, as they should be")


def deviations(report: dict):  # type: ignore[type-arg, no-untyped-def]
    """What is not as the demo must be on a machine where everything can be had."""
    if [each["name"] for each in report["experiments"]] != EXPERIMENTS:
        yield f"experiments: {[each['name'] for each in report['experiments']]}"
    began, ended = (datetime.fromisoformat(report[key]) for key in ("started_utc", "ended_utc"))
    if (ended - began).total_seconds() > SECONDS_AT_MOST:
        yield f"it took {(ended - began).total_seconds():.0f} s"
    for experiment in report["experiments"]:
        name = experiment["name"]
        if [arm["name"] for arm in experiment["arms"]] != ARMS:
            yield f"{name}: arms: {[arm['name'] for arm in experiment['arms']]}"
        if experiment["left_out"] != [] or experiment["failures"] != []:
            yield f"{name}: left out {experiment['left_out']}, failures {experiment['failures']}"
        if experiment["blocks"] < BLOCKS_AT_LEAST:
            yield f"{name}: {experiment['blocks']} blocks"
        if experiment["harness_load"] is None or experiment["harness_load"] >= HARNESS_AT_MOST:
            yield f"{name}: the harness took {experiment['harness_load']} of a core"
        if experiment["aa_floor"] is None or experiment["aa_floor"]["low"] is None:
            yield f"{name}: no A/A floor"
        equal = {cost["arm"] for cost in experiment["hop_costs"] if cost["load_per_s"] is not None and cost["cpu_ns"]}
        if equal != set(ARMS[1:]):
            yield f"{name}: hop costs at an equal load: {sorted(equal)}"
        for arm in experiment["arms"]:
            if not arm["answers"] or any(arm["errors"].values()):
                yield f"{name}/{arm['name']}: {arm['answers']} answers, errors {arm['errors']}"
            if arm["ratio"] is None or arm["ratio"]["low"] is None:
                yield f"{name}/{arm['name']}: no interval"
            if not any(load["answers"] for load in arm["open_loop"]):
                yield f"{name}/{arm['name']}: no answers under an offered load"
            if arm["header_bytes"] != HEADER_BYTES:
                yield f"{name}/{arm['name']}: {arm['header_bytes']} header bytes"
            hops = set(arm["cpu_ns_per_request"])
            if hops != ({"go-hello", "generator"} if arm["name"] == "go" else {"nginx", "go-hello", "generator"}):
                yield f"{name}/{arm['name']}: CPU of {sorted(hops)}"


if __name__ == "__main__":
    main()
