"""What other load generators print, read: their own counts, times and rates. Errors never count as answers."""

from __future__ import annotations

import json
import re

import msgspec

from hopcost.errors import MeasurementFailed


class Counts(msgspec.Struct, frozen=True):
    """What a generator says it saw: correct answers, and everything else that it noticed.

    `own_cpu_ns` is its CPU time while load ran, without opening connections before. `kinds` are its errors by our words
    for them, `elapsed_ns` and `throughput_per_s` what it prints of time and rate (errors may be in the rate),
    `latency_ms` its mean, its longest and quantiles, `kept_alive` answers after which a connection was kept. None where
    it does not say.
    """

    answers: int
    errors: int
    own_cpu_ns: int | None = None
    kinds: dict[str, int] = {}
    elapsed_ns: int | None = None
    throughput_per_s: float | None = None
    latency_ms: dict[str, float] = {}
    kept_alive: int | None = None


def engine(text: str) -> Counts:
    """What `hopcost-engine load --json` says."""
    content = json.loads(text)
    times = content.get("service_time_ns") or {}
    return Counts(
        answers=content["answers"],
        errors=sum(content["errors"].values()),
        own_cpu_ns=content.get("generator_cpu_ns"),
        kinds=content["errors"],
        elapsed_ns=content.get("elapsed_ns"),
        throughput_per_s=content.get("throughput_per_s"),
        latency_ms={name: times[name] / 1e6 for name in ("mean", "p50", "p90", "p99", "max") if times.get(name)},
    )


def wrk(text: str) -> Counts:
    """wrk's text; it counts other statuses than 2xx and 3xx as requests too."""
    kinds = {kind: int(number) for kind, number in re.findall(r"(connect|read|write|timeout) (\d+)", text)}
    kinds["status"] = _number(r"Non-2xx or 3xx responses: (\d+)", text, 0)
    latency = {}
    if (line := re.search(r"Latency +(\S+) +(\S+) +(\S+)", text)) is not None:
        latency = {"mean": _ms(line[1]), "stdev": _ms(line[2]), "max": _ms(line[3])}
    for share, value in re.findall(r"(?m)^ +(\d+)% +([\d.]+[a-z]+)$", text):
        latency[f"p{share}"] = _ms(value)
    return Counts(
        answers=_number(r"(\d+) requests in", text) - kinds["status"],
        errors=sum(kinds.values()),
        kinds=kinds,
        elapsed_ns=_elapsed_ns(r"requests in ([\d.]+[a-z]+)", text),
        throughput_per_s=_figure(r"Requests/sec: +([\d.]+)", text),
        latency_ms=latency,
    )


def ab(text: str) -> Counts:
    """ab's text."""
    failed = _number(r"Failed requests:\s+(\d+)", text)
    wrong = _number(r"Non-2xx responses:\s+(\d+)", text, 0)
    words = {"connect": "Connect", "read": "Receive", "body": "Length", "protocol": "Exceptions"}
    kinds = {kind: _number(rf"{word}: (\d+)", text, 0) for kind, word in words.items()}
    kinds["status"] = wrong
    latency, kept = {}, r"Keep-Alive requests:\s+(\d+)"
    if (mean := _figure(r"Time per request:\s+([\d.]+) \[ms\] \(mean\)", text)) is not None:
        latency["mean"] = mean
    for share, value in re.findall(r"(?m)^ +(\d+)% +(\d+)", text):
        latency["max" if share == "100" else f"p{share}"] = float(value)
    return Counts(
        answers=_number(r"Complete requests:\s+(\d+)", text) - failed - wrong,
        errors=failed + wrong,
        kinds=kinds,
        elapsed_ns=_elapsed_ns(r"Time taken for tests:\s+([\d.]+) s", text, "s"),
        throughput_per_s=_figure(r"Requests per second:\s+([\d.]+)", text),
        latency_ms=latency,
        kept_alive=_number(kept, text) if re.search(kept, text) else None,
    )


def h2load(text: str) -> Counts:
    """h2load's text."""
    succeeded = _number(r"status codes: (\d+) 2xx", text)
    failed, timeouts = _number(r"(\d+) failed", text), _number(r"(\d+) timeout", text, 0)
    statuses = re.search(r"(\d+) 3xx, (\d+) 4xx, (\d+) 5xx", text)
    wrong = sum(int(number) for number in statuses.groups()) if statuses is not None else 0
    kinds = {"status": wrong, "timeout": timeouts, "read": max(0, failed - wrong - timeouts)}
    latency = {}
    if (line := re.search(r"time for request: +(\S+) +(\S+) +(\S+) +(\S+)", text)) is not None:
        latency = {"mean": _ms(line[3]), "stdev": _ms(line[4]), "max": _ms(line[2])}
    return Counts(
        answers=succeeded,
        errors=failed,
        kinds=kinds,
        elapsed_ns=_elapsed_ns(r"finished in ([\d.]+[a-z]+)", text),
        throughput_per_s=_figure(r"finished in \S+, ([\d.]+) req/s", text),
        latency_ms=latency,
    )


def oha(text: str) -> Counts:
    """oha's JSON; what its deadline cut off is neither answer nor error."""
    content = json.loads(text)
    statuses, problems = content["statusCodeDistribution"], content["errorDistribution"]
    answers = sum(count for status, count in statuses.items() if status.startswith("2"))
    everything = sum(statuses.values()) + sum(problems.values())
    aborted = problems.get("aborted due to deadline", 0)
    wrong = sum(statuses.values()) - answers
    summary, quantiles = content.get("summary", {}), content.get("latencyPercentiles", {})
    latency = {name: value * 1e3 for name, value in quantiles.items() if value is not None}
    if summary.get("average") is not None:
        latency["mean"], latency["max"] = summary["average"] * 1e3, summary["slowest"] * 1e3
    return Counts(
        answers=answers,
        errors=everything - answers - aborted,
        kinds={"status": wrong, "read": everything - answers - aborted - wrong},
        elapsed_ns=round(summary["total"] * 1e9) if "total" in summary else None,
        throughput_per_s=summary.get("requestsPerSec"),
        latency_ms=latency,
    )


def hey(text: str) -> Counts:
    """hey's text."""
    statuses = {int(status): int(number) for status, number in re.findall(r"\[(\d{3})\]\s+(\d+) responses", text)}
    tail = text.partition("Error distribution:")[2]
    broken = sum(int(number) for number in re.findall(r"(?m)^\s+\[(\d+)\]", tail))
    if not statuses and not broken:
        raise MeasurementFailed(f"no counts in the generator's output:\n{text.strip()[-500:]}")
    answers = sum(number for status, number in statuses.items() if 200 <= status < 300)
    wrong = sum(statuses.values()) - answers
    latency = {f"p{share}": float(value) * 1e3 for share, value in re.findall(r"(\d+)% in ([\d.]+) secs", text)}
    for name, word in (("mean", "Average"), ("max", "Slowest")):
        if (value := _figure(rf"{word}:\s+([\d.]+) secs", text)) is not None:
            latency[name] = value * 1e3
    return Counts(
        answers=answers,
        errors=wrong + broken,
        kinds={"status": wrong, "read": broken},
        elapsed_ns=_elapsed_ns(r"Total:\s+([\d.]+) secs", text, "s"),
        throughput_per_s=_figure(r"Requests/sec:\s+([\d.]+)", text),
        latency_ms=latency,
    )


def _ms(text: str) -> float:
    """`1.5ms`, `267us`, `2.00s`, `1.00m` in ms."""
    found = re.fullmatch(r"([\d.]+)([a-z]*)", text)
    scale = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3, "h": 3600e3}
    if found is None or found[2] not in scale:
        raise MeasurementFailed(f"no time: '{text}'")
    return float(found[1]) * scale[found[2]]


def _elapsed_ns(pattern: str, text: str, unit: str = "") -> int | None:
    found = re.search(pattern, text)
    return None if found is None else round(_ms(found[1] + unit) * 1e6)


def _figure(pattern: str, text: str) -> float | None:
    found = re.search(pattern, text)
    return None if found is None else float(found[1])


def _number(pattern: str, text: str, absent: int | None = None) -> int:
    found = re.search(pattern, text)
    if found is not None:
        return int(found[1])
    if absent is None:
        raise MeasurementFailed(f"no '{pattern}' in the generator's output:\n{text.strip()[-500:]}")
    return absent
